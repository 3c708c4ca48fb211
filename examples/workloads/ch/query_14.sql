-- Query 14: the share of the items of some kind in the revenue of the lines delivered between two dates, in percent.
SELECT 100.00 * SUM(CASE WHEN i_data LIKE 'PR%' THEN ol_amount ELSE 0 END) / (1 + SUM(ol_amount)) AS share
FROM order_line
JOIN item ON i_id = ol_i_id
WHERE ol_delivery_d >= :since AND ol_delivery_d < :until
