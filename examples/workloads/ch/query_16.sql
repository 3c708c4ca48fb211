-- Query 16: the number of suppliers of each kind of item, without those with a bad comment.
SELECT i_name, SUBSTR(i_data, 1, 3) AS brand, i_price, COUNT(DISTINCT (s_w_id * s_i_id) % 10000) AS number_of_suppliers
FROM stock
JOIN item ON i_id = s_i_id
WHERE i_data NOT LIKE 'zz%' AND (s_w_id * s_i_id) % 10000 NOT IN (SELECT su_suppkey FROM supplier WHERE su_comment LIKE '%bad%')
GROUP BY i_name, SUBSTR(i_data, 1, 3), i_price
ORDER BY number_of_suppliers DESC
