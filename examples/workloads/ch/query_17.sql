-- Query 17: the average yearly revenue of the lines with less than the average quantity, for items of some kind.
SELECT SUM(ol_amount) / 2.0 AS average_yearly
FROM order_line
JOIN (
  SELECT i_id, AVG(ol_quantity) AS average_quantity
  FROM item
  JOIN order_line ON ol_i_id = i_id
  WHERE i_data LIKE '%b'
  GROUP BY i_id
) average ON i_id = ol_i_id
WHERE ol_quantity < average_quantity
