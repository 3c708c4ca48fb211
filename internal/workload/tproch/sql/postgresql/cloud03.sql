-- PostgreSQL has an aggregate function for percentiles.
SELECT PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY o_totalprice) AS upper_price
FROM orders, customer, nation
WHERE o_custkey = c_custkey
  AND c_nationkey = n_nationkey
  AND n_name = 'GERMANY'
