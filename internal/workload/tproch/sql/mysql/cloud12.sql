-- The list is a derived table, because MySQL would otherwise read all lines again for each order.
SELECT o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
FROM orders
WHERE o_totalprice < 50005
  AND o_orderdate BETWEEN '1995-01-01' AND '1995-12-31'
  AND (o_orderkey, o_orderdate - INTERVAL '1' MONTH) NOT IN (
        SELECT orderkey, commitdate
        FROM (
                SELECT CASE WHEN l_orderkey <= 5 THEN NULL ELSE l_orderkey END AS orderkey, l_commitdate AS commitdate
                FROM lineitem
                WHERE l_shipdate BETWEEN '1995-01-01' AND '1995-12-31'
                  AND l_extendedprice < 1001) AS cheap_lines)
ORDER BY o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
LIMIT 100
