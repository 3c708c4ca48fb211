-- PostgreSQL has an aggregate function for the median.
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY o_totalprice) AS median_price
FROM orders, customer, nation
WHERE o_custkey = c_custkey
  AND c_nationkey = n_nationkey
  AND n_name = 'GERMANY'
