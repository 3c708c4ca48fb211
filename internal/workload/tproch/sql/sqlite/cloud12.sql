-- In SQLite, a month before March 31 is February 31, which it treats as a day in March. The result
-- must be at most the last day of the month before.
SELECT o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
FROM orders
WHERE o_totalprice < 50005
  AND o_orderdate BETWEEN '1995-01-01' AND '1995-12-31'
  AND (o_orderkey, MIN(DATE(o_orderdate, '-1 month'), DATE(o_orderdate, 'start of month', '-1 day'))) NOT IN (
        SELECT CASE WHEN l_orderkey <= 5 THEN NULL ELSE l_orderkey END, l_commitdate
        FROM lineitem
        WHERE l_shipdate BETWEEN '1995-01-01' AND '1995-12-31'
          AND l_extendedprice < 1001)
ORDER BY o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
LIMIT 100
