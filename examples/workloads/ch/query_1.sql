-- Query 1: sums and averages of the lines delivered since a date, by their number in the order.
SELECT ol_number, SUM(ol_quantity) AS sum_quantity, SUM(ol_amount) AS sum_amount,
  AVG(ol_quantity) AS average_quantity, AVG(ol_amount) AS average_amount, COUNT(*) AS number_of_lines
FROM order_line
WHERE ol_delivery_d > :since
GROUP BY ol_number
ORDER BY ol_number
