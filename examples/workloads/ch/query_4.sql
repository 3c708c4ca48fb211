-- Query 4: orders with a line that was delivered at or after their entry, by their number of lines.
SELECT o_ol_cnt, COUNT(*) AS number_of_orders
FROM orders
WHERE o_entry_d >= :since AND o_entry_d < :until AND EXISTS (
  SELECT 1 FROM order_line
  WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_delivery_d >= o_entry_d
)
GROUP BY o_ol_cnt
ORDER BY o_ol_cnt
