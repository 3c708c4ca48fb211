-- Query 12: delivered orders of two carriers and of the others, by their number of lines.
SELECT o_ol_cnt, SUM(CASE WHEN o_carrier_id IN (1, 2) THEN 1 ELSE 0 END) AS of_two_carriers,
  SUM(CASE WHEN o_carrier_id IN (1, 2) THEN 0 ELSE 1 END) AS of_others
FROM orders
JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
WHERE o_entry_d <= ol_delivery_d AND ol_delivery_d < :until
GROUP BY o_ol_cnt
ORDER BY o_ol_cnt
