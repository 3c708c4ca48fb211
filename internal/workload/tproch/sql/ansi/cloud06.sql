-- The number of finished orders of small or plated tin parts, by customer. The first 100 by name.
SELECT c_name, COUNT(*) AS order_count
FROM customer, orders
WHERE c_custkey = o_custkey
  AND o_orderstatus = 'F'
  AND EXISTS (
        SELECT *
        FROM lineitem, part
        WHERE l_orderkey = o_orderkey
          AND l_partkey = p_partkey
          AND (p_size < 5 OR p_type = 'STANDARD PLATED TIN'))
GROUP BY c_name
ORDER BY c_name, order_count
LIMIT 100
