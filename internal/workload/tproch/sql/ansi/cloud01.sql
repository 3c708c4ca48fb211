-- The ten brands with the most revenue from lines shipped in 1997.
SELECT p_brand, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= '1997-01-01'
  AND l_shipdate < '1998-01-01'
GROUP BY p_brand
ORDER BY revenue DESC
LIMIT 10
