-- The number of lines with a small discount, by part. The first 100 parts.
SELECT p_partkey, COUNT(*) AS line_count
FROM lineitem, part, supplier, orders
WHERE l_partkey = p_partkey
  AND l_suppkey = s_suppkey
  AND l_orderkey = o_orderkey
  AND l_discount < 0.02
  AND p_size < 41
GROUP BY p_partkey
ORDER BY p_partkey, line_count
LIMIT 100
