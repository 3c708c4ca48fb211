-- Shipping priority: the orders of a market segment with the largest revenue not yet shipped at a
-- date (TPC-H 2.4.3). The first 10 rows. Validation: :segment 'BUILDING', :date '1995-03-15'.
SELECT l_orderkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
FROM customer, orders, lineitem
WHERE c_mktsegment = :segment
  AND c_custkey = o_custkey
  AND l_orderkey = o_orderkey
  AND o_orderdate < :date
  AND l_shipdate > :date
GROUP BY l_orderkey, o_orderdate, o_shippriority
ORDER BY revenue DESC, o_orderdate
LIMIT 10
