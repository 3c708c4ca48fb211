-- ROUND has a second argument here.

-- name: totals
-- In cents, since the standard cuts cents off twice.
SELECT o_orderkey, o_totalprice, l.cents
FROM orders JOIN (
  SELECT l_orderkey,
         SUM(FLOOR(FLOOR(ROUND(l_extendedprice * 100, 0) * (100 - ROUND(l_discount * 100, 0)) / 100) * (100 + ROUND(l_tax * 100, 0)) / 100)) AS cents
  FROM lineitem GROUP BY l_orderkey) l ON l_orderkey = o_orderkey
WHERE ROUND(o_totalprice * 100, 0) <> l.cents
