-- Cheap orders of 1995 of which no cheap line was to be there a month before the order. Some
-- lines have no order as far as the question goes, so that what is not in the list may be
-- unknown. The first 100.
--
-- ADD_MONTHS takes the last day of a month to the last day of another, which may be later.
SELECT o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
FROM orders
WHERE o_totalprice < 50005
  AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1995-12-31'
  AND (o_orderkey, LEAST(ADD_MONTHS(o_orderdate, -1), TRUNC(ADD_MONTHS(o_orderdate, -1), 'MM') + EXTRACT(DAY FROM o_orderdate) - 1)) NOT IN (
        SELECT CASE WHEN l_orderkey <= 5 THEN NULL ELSE l_orderkey END, l_commitdate
        FROM lineitem
        WHERE l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1995-12-31'
          AND l_extendedprice < 1001)
ORDER BY o_orderkey, o_custkey, o_orderstatus, o_totalprice, o_orderdate
FETCH FIRST 100 ROWS ONLY
