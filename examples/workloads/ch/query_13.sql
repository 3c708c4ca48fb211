-- Query 13: customers by their number of orders with some carriers.
SELECT number_of_orders, COUNT(*) AS number_of_customers
FROM (
  SELECT c_w_id, c_d_id, c_id, COUNT(o_id) AS number_of_orders
  FROM customer
  LEFT JOIN orders ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id AND o_carrier_id > 8
  GROUP BY c_w_id, c_d_id, c_id
) ordered
GROUP BY number_of_orders
ORDER BY number_of_customers DESC, number_of_orders DESC
