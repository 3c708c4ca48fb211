-- PostgreSQL has an aggregate function for the median.
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY l_discount) AS median_discount
FROM lineitem, orders, customer, nation
WHERE l_orderkey = o_orderkey
  AND o_orderdate BETWEEN '1995-01-01' AND '1995-12-31'
  AND o_custkey = c_custkey
  AND c_nationkey = n_nationkey
  AND n_name = 'GERMANY'
