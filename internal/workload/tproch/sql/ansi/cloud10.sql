-- The number of lines that have neither an order nor a supplier, by part. The result is empty
-- unless keys were lost.
SELECT p_partkey, COUNT(*) AS line_count
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_discount < 1.1
  AND p_size < 45
  AND NOT EXISTS (SELECT * FROM orders WHERE o_orderkey = l_orderkey)
  AND NOT EXISTS (SELECT * FROM supplier WHERE s_suppkey = l_suppkey)
GROUP BY p_partkey
ORDER BY p_partkey
