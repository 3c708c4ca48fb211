-- Query 11: items that are more than 0.5 % of the orders at the suppliers of one nation. With few warehouses, few or none are.
SELECT s_i_id, SUM(s_order_cnt) AS order_count
FROM stock
JOIN supplier ON su_suppkey = (s_w_id * s_i_id) % 10000
JOIN nation ON n_nationkey = su_nationkey
WHERE n_name = 'Germany'
GROUP BY s_i_id
HAVING SUM(s_order_cnt) > (
  SELECT SUM(s_order_cnt) * 0.005
  FROM stock
  JOIN supplier ON su_suppkey = (s_w_id * s_i_id) % 10000
  JOIN nation ON n_nationkey = su_nationkey
  WHERE n_name = 'Germany'
)
ORDER BY order_count DESC
