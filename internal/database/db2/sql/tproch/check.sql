-- Statements that need a table to select from, or another function for a remainder.

-- name: fixed
SELECT t.regions, t.nations
FROM (SELECT (SELECT COUNT(*) FROM region) AS regions, (SELECT COUNT(*) FROM nation) AS nations FROM sysibm.sysdummy1) t
WHERE t.regions <> 5 OR t.nations <> 25

-- name: sizes
SELECT t.suppliers, t.parts, t.partsupps, t.customers, t.orders_there
FROM (SELECT (SELECT COUNT(*) FROM supplier) AS suppliers, (SELECT COUNT(*) FROM part) AS parts,
             (SELECT COUNT(*) FROM partsupp) AS partsupps, (SELECT COUNT(*) FROM customer) AS customers,
             (SELECT COUNT(*) FROM orders) AS orders_there FROM sysibm.sysdummy1) t
WHERE t.parts <> 20 * t.suppliers OR t.partsupps <> 80 * t.suppliers OR t.customers <> 15 * t.suppliers
   OR t.orders_there < 149.85 * t.suppliers OR t.orders_there > 150.15 * t.suppliers

-- name: totals
-- In cents, because the standard truncates to cents twice.
SELECT o_orderkey, o_totalprice, l.cents
FROM orders JOIN (
  SELECT l_orderkey,
         SUM(FLOOR(FLOOR(l_extendedprice * 100 * (100 - l_discount * 100) / 100) * (100 + l_tax * 100) / 100)) AS cents
  FROM lineitem GROUP BY l_orderkey) l ON l_orderkey = o_orderkey
WHERE o_totalprice * 100 <> l.cents

-- name: customers
SELECT o_orderkey, o_custkey FROM orders WHERE MOD(o_custkey, 3) = 0
