-- The sales of a clerk in the first six days of 1995. This clerk exists from scale 7374 on; at
-- smaller scales the result is one row of NULLs.
SELECT SUM(l_quantity) AS sum_qty,
       SUM(l_extendedprice) AS sum_base_price,
       SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
       SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
       AVG(l_quantity) AS avg_qty,
       AVG(l_extendedprice) AS avg_price,
       AVG(l_discount) AS avg_disc,
       COUNT(*) AS count_order
FROM lineitem, orders
WHERE l_orderkey = o_orderkey
  AND o_orderdate >= '1995-01-01'
  AND o_orderdate < '1995-01-07'
  AND o_clerk = 'Clerk#007373565'
