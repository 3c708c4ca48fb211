-- The median price of the orders of German customers: Oracle has an aggregate for it.
SELECT MEDIAN(o_totalprice) AS median_price
FROM orders, customer, nation
WHERE o_custkey = c_custkey
  AND c_nationkey = n_nationkey
  AND n_name = 'GERMANY'
