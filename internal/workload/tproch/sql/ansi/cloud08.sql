-- The parts of a day's urgent and expensive orders, by value. The result is empty, because the data
-- have '1-URGENT' without the blanks of the query.
SELECT p_partkey,
       p_name,
       p_mfgr,
       p_brand,
       p_type,
       p_size,
       p_container,
       p_retailprice,
       SUM(l_quantity) AS sum_quantity,
       SUM(l_quantity) * p_retailprice AS value
FROM part, lineitem, orders
WHERE p_partkey = l_partkey
  AND l_orderkey = o_orderkey
  AND o_orderdate = '1996-04-30'
  AND o_orderpriority = '1 - URGENT'
  AND o_totalprice > 480000
GROUP BY p_partkey, p_name, p_mfgr, p_brand, p_type, p_size, p_container, p_retailprice
ORDER BY value
LIMIT 10
