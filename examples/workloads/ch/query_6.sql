-- Query 6: revenue of the lines delivered between two dates.
SELECT SUM(ol_amount) AS revenue
FROM order_line
WHERE ol_delivery_d >= :since AND ol_delivery_d < :until AND ol_quantity BETWEEN 1 AND 100000
