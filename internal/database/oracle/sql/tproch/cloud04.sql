-- The median discount that German customers had in 1995: Oracle has an aggregate for it.
SELECT MEDIAN(l_discount) AS median_discount
FROM lineitem, orders, customer, nation
WHERE l_orderkey = o_orderkey
  AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1995-12-31'
  AND o_custkey = c_custkey
  AND c_nationkey = n_nationkey
  AND n_name = 'GERMANY'
