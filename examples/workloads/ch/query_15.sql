-- Query 15: the supplier with the greatest revenue since a date.
WITH revenue AS (
  SELECT (s_w_id * s_i_id) % 10000 AS supplier_no, SUM(ol_amount) AS total
  FROM order_line
  JOIN stock ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
  WHERE ol_delivery_d >= :since
  GROUP BY (s_w_id * s_i_id) % 10000
)
SELECT su_suppkey, su_name, su_address, su_phone, total
FROM supplier
JOIN revenue ON supplier_no = su_suppkey
WHERE total = (SELECT MAX(total) FROM revenue)
ORDER BY su_suppkey
