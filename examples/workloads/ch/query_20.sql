-- Query 20: suppliers of one nation with more of some items in stock than half of what was delivered since a date.
SELECT su_name, su_address
FROM supplier
JOIN nation ON n_nationkey = su_nationkey
WHERE n_name = 'Germany' AND su_suppkey IN (
  SELECT (s_w_id * s_i_id) % 10000
  FROM stock
  JOIN item ON i_id = s_i_id
  JOIN order_line ON ol_supply_w_id = s_w_id AND ol_i_id = s_i_id
  WHERE i_data LIKE 'co%' AND ol_delivery_d > :since
  GROUP BY s_w_id, s_i_id, s_quantity
  HAVING 2 * s_quantity > SUM(ol_quantity)
)
ORDER BY su_name
