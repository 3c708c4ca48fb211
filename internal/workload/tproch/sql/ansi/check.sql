-- The rules of a check. Each query returns the rows that break a rule.

-- name: fixed
SELECT t.regions, t.nations
FROM (SELECT (SELECT COUNT(*) FROM region) AS regions, (SELECT COUNT(*) FROM nation) AS nations) t
WHERE t.regions <> 5 OR t.nations <> 25

-- name: sizes
-- Refresh functions delete as many orders as they insert, so the number of orders changes by at
-- most one set, a thousandth.
SELECT t.suppliers, t.parts, t.partsupps, t.customers, t.orders_there
FROM (SELECT (SELECT COUNT(*) FROM supplier) AS suppliers, (SELECT COUNT(*) FROM part) AS parts,
             (SELECT COUNT(*) FROM partsupp) AS partsupps, (SELECT COUNT(*) FROM customer) AS customers,
             (SELECT COUNT(*) FROM orders) AS orders_there) t
WHERE t.parts <> 20 * t.suppliers OR t.partsupps <> 80 * t.suppliers OR t.customers <> 15 * t.suppliers
   OR t.orders_there < 149.85 * t.suppliers OR t.orders_there > 150.15 * t.suppliers

-- name: lines
SELECT o_orderkey, l.n, l.low, l.high
FROM orders LEFT JOIN (SELECT l_orderkey, COUNT(*) AS n, MIN(l_linenumber) AS low, MAX(l_linenumber) AS high
                       FROM lineitem GROUP BY l_orderkey) l ON l_orderkey = o_orderkey
WHERE l.n IS NULL OR l.n > 7 OR l.low <> 1 OR l.high <> l.n

-- name: references
SELECT 'lineitem' AS of_table, l_orderkey AS its_key, 'orders' AS refers_to, l_orderkey AS missing_key
FROM lineitem LEFT JOIN orders ON o_orderkey = l_orderkey WHERE o_orderkey IS NULL
UNION ALL
SELECT 'lineitem', l_orderkey, 'partsupp', l_partkey
FROM lineitem LEFT JOIN partsupp ON ps_partkey = l_partkey AND ps_suppkey = l_suppkey WHERE ps_partkey IS NULL
UNION ALL
SELECT 'orders', o_orderkey, 'customer', o_custkey
FROM orders LEFT JOIN customer ON c_custkey = o_custkey WHERE c_custkey IS NULL
UNION ALL
SELECT 'partsupp', ps_partkey, 'part', ps_partkey
FROM partsupp LEFT JOIN part ON p_partkey = ps_partkey WHERE p_partkey IS NULL
UNION ALL
SELECT 'partsupp', ps_partkey, 'supplier', ps_suppkey
FROM partsupp LEFT JOIN supplier ON s_suppkey = ps_suppkey WHERE s_suppkey IS NULL
UNION ALL
SELECT 'supplier', s_suppkey, 'nation', s_nationkey
FROM supplier LEFT JOIN nation ON n_nationkey = s_nationkey WHERE n_nationkey IS NULL
UNION ALL
SELECT 'customer', c_custkey, 'nation', c_nationkey
FROM customer LEFT JOIN nation ON n_nationkey = c_nationkey WHERE n_nationkey IS NULL
UNION ALL
SELECT 'nation', n_nationkey, 'region', n_regionkey
FROM nation LEFT JOIN region ON r_regionkey = n_regionkey WHERE r_regionkey IS NULL

-- name: totals
-- In cents, because the standard truncates to cents twice.
SELECT o_orderkey, o_totalprice, l.cents
FROM orders JOIN (
  SELECT l_orderkey,
         SUM(FLOOR(FLOOR(ROUND(l_extendedprice * 100) * (100 - ROUND(l_discount * 100)) / 100) * (100 + ROUND(l_tax * 100)) / 100)) AS cents
  FROM lineitem GROUP BY l_orderkey) l ON l_orderkey = o_orderkey
WHERE ROUND(o_totalprice * 100) <> l.cents

-- name: status
SELECT o_orderkey, o_orderstatus, l.n, l.fulfilled
FROM orders JOIN (
  SELECT l_orderkey, COUNT(*) AS n, SUM(CASE WHEN l_linestatus = 'F' THEN 1 ELSE 0 END) AS fulfilled
  FROM lineitem GROUP BY l_orderkey) l ON l_orderkey = o_orderkey
WHERE o_orderstatus <> CASE WHEN l.fulfilled = l.n THEN 'F' WHEN l.fulfilled = 0 THEN 'O' ELSE 'P' END

-- name: customers
SELECT o_orderkey, o_custkey FROM orders WHERE o_custkey % 3 = 0
