-- ROUND requires a second argument here, and COUNT returns at most 2,147,483,647.

-- name: sizes
-- Refresh functions delete as many orders as they add, so the number of orders changes by at most
-- one set, a thousandth.
SELECT t.suppliers, t.parts, t.partsupps, t.customers, t.orders_there
FROM (SELECT (SELECT COUNT_BIG(*) FROM supplier) AS suppliers, (SELECT COUNT_BIG(*) FROM part) AS parts,
             (SELECT COUNT_BIG(*) FROM partsupp) AS partsupps, (SELECT COUNT_BIG(*) FROM customer) AS customers,
             (SELECT COUNT_BIG(*) FROM orders) AS orders_there) t
WHERE t.parts <> 20 * t.suppliers OR t.partsupps <> 80 * t.suppliers OR t.customers <> 15 * t.suppliers
   OR t.orders_there < 149.85 * t.suppliers OR t.orders_there > 150.15 * t.suppliers

-- name: totals
-- In cents, because the standard truncates to cents twice.
SELECT o_orderkey, o_totalprice, l.cents
FROM orders JOIN (
  SELECT l_orderkey,
         SUM(FLOOR(FLOOR(ROUND(l_extendedprice * 100, 0) * (100 - ROUND(l_discount * 100, 0)) / 100) * (100 + ROUND(l_tax * 100, 0)) / 100)) AS cents
  FROM lineitem GROUP BY l_orderkey) l ON l_orderkey = o_orderkey
WHERE ROUND(o_totalprice * 100, 0) <> l.cents
