-- Derby would compare each customer with each row of the joined tables, which takes minutes. So one
-- pass sums the payments, debts and deliveries.
-- name: consistency_10
SELECT t.w_id, t.d_id, t.c_id, SUM(t.amount) AS excess
FROM (
  SELECT c_w_id, c_d_id, c_id, c_balance AS amount FROM customer
  UNION ALL
  SELECT o_w_id, o_d_id, o_c_id, -ol_amount FROM orders
  JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
  WHERE ol_delivery_d IS NOT NULL
  UNION ALL
  SELECT h_c_w_id, h_c_d_id, h_c_id, h_amount FROM history) AS t (w_id, d_id, c_id, amount)
GROUP BY t.w_id, t.d_id, t.c_id HAVING SUM(t.amount) <> 0
