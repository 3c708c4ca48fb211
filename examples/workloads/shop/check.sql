-- name: sold
-- p_sold is the number of products in all sales
SELECT p_id, p_sold, COALESCE(SUM(s_number), 0) AS in_sales
FROM product LEFT JOIN sale ON s_product = p_id
GROUP BY p_id, p_sold
HAVING p_sold <> COALESCE(SUM(s_number), 0)

-- name: spent
-- c_spent is the sum of the customer's sales
SELECT c_id, c_spent, COALESCE(SUM(s_total), 0) AS in_sales
FROM customer LEFT JOIN sale ON s_customer = c_id
GROUP BY c_id, c_spent
HAVING ABS(c_spent - COALESCE(SUM(s_total), 0)) > 0.001
