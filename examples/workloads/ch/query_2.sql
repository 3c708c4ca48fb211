-- Query 2: the suppliers in Europe with the least stock of each item of some kind.
SELECT su_suppkey, su_name, n_name, i_id, i_name, su_address, su_phone, su_comment
FROM item
JOIN stock ON s_i_id = i_id
JOIN supplier ON su_suppkey = (s_w_id * s_i_id) % 10000
JOIN nation ON n_nationkey = su_nationkey
JOIN region ON r_regionkey = n_regionkey
JOIN (
  SELECT s_i_id AS m_i_id, MIN(s_quantity) AS m_quantity
  FROM stock
  JOIN supplier ON su_suppkey = (s_w_id * s_i_id) % 10000
  JOIN nation ON n_nationkey = su_nationkey
  JOIN region ON r_regionkey = n_regionkey
  WHERE r_name = 'Europe'
  GROUP BY s_i_id
) least ON m_i_id = i_id AND m_quantity = s_quantity
WHERE i_data LIKE '%b' AND r_name = 'Europe'
ORDER BY n_name, su_name, i_id
