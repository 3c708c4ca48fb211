-- Cheap orders of 1995 of which no cheap line was to be there a month before the order. Some
-- lines have no order as far as the question goes, so that what is not in the list may be
-- unknown. The first 100.
SELECT TOP 100 o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
FROM orders
WHERE o_totalprice < 50005
  AND o_orderdate BETWEEN '1995-01-01' AND '1995-12-31'
  AND NOT EXISTS (
        SELECT *
        FROM lineitem
        WHERE l_shipdate BETWEEN '1995-01-01' AND '1995-12-31'
          AND l_extendedprice < 1001
          AND (l_orderkey <= 5 OR l_orderkey = o_orderkey)
          AND l_commitdate = DATEADD(MONTH, -1, o_orderdate))
ORDER BY o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
