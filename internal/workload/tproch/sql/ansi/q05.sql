-- Local supplier volume: a year's revenue of each nation in a region from sales in which customer
-- and supplier are of that nation (TPC-H 2.4.5). Validation: :region 'ASIA', :date '1994-01-01',
-- and so :until '1995-01-01'.
SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey
  AND l_orderkey = o_orderkey
  AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey
  AND s_nationkey = n_nationkey
  AND n_regionkey = r_regionkey
  AND r_name = :region
  AND o_orderdate >= :date
  AND o_orderdate < :until
GROUP BY n_name
ORDER BY revenue DESC
