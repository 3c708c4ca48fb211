-- Query 22: customers without orders and with a balance above the average, by state. TPC-C gives each customer an order, so the query finds nothing.
SELECT SUBSTR(c_state, 1, 1) AS country, COUNT(*) AS number_of_customers, SUM(c_balance) AS total_balance
FROM customer
WHERE SUBSTR(c_phone, 1, 1) IN ('1', '2', '3', '4', '5', '6', '7')
  AND c_balance > (
    SELECT AVG(c_balance) FROM customer
    WHERE c_balance > 0 AND SUBSTR(c_phone, 1, 1) IN ('1', '2', '3', '4', '5', '6', '7')
  )
  AND NOT EXISTS (SELECT 1 FROM orders WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id)
GROUP BY SUBSTR(c_state, 1, 1)
ORDER BY SUBSTR(c_state, 1, 1)
