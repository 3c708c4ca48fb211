-- Cheap orders of 1995 of which no cheap line was to be there a month before the order. Some
-- lines have no order as far as the question goes, so that what is not in the list may be
-- unknown. The first 100.
SELECT o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
FROM orders
WHERE o_totalprice < 50005
  AND o_orderdate BETWEEN '1995-01-01' AND '1995-12-31'
  AND (o_orderkey, o_orderdate - 1 MONTH) NOT IN (
        SELECT CASE WHEN l_orderkey <= 5 THEN NULL ELSE l_orderkey END, l_commitdate
        FROM lineitem
        WHERE l_shipdate BETWEEN '1995-01-01' AND '1995-12-31'
          AND l_extendedprice < 1001)
ORDER BY o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
LIMIT 100
