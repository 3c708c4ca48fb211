-- Like query 10, in another form. The first 100 parts.
SELECT p_partkey, COUNT(*) AS line_count
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_discount < 0.5
  AND p_size < 41
  AND l_orderkey NOT IN (SELECT o_orderkey FROM orders)
  AND l_suppkey NOT IN (SELECT s_suppkey FROM supplier)
GROUP BY p_partkey
ORDER BY p_partkey
LIMIT 100
