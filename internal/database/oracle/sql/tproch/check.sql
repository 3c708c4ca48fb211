-- Oracle has no modulo operator, and requires a table in every SELECT.

-- name: fixed
SELECT t.regions, t.nations
FROM (SELECT r.n AS regions, s.n AS nations
      FROM (SELECT COUNT(*) AS n FROM region) r, (SELECT COUNT(*) AS n FROM nation) s) t
WHERE t.regions <> 5 OR t.nations <> 25

-- name: sizes
-- Refresh functions delete as many orders as they add, so the number of orders changes by at most
-- one set, a thousandth.
SELECT s.n AS suppliers, p.n AS parts, u.n AS partsupps, c.n AS customers, o.n AS orders_there
FROM (SELECT COUNT(*) AS n FROM supplier) s, (SELECT COUNT(*) AS n FROM part) p, (SELECT COUNT(*) AS n FROM partsupp) u,
  (SELECT COUNT(*) AS n FROM customer) c, (SELECT COUNT(*) AS n FROM orders) o
WHERE p.n <> 20 * s.n OR u.n <> 80 * s.n OR c.n <> 15 * s.n OR o.n < 149.85 * s.n OR o.n > 150.15 * s.n

-- name: customers
SELECT o_orderkey, o_custkey FROM orders WHERE MOD(o_custkey, 3) = 0
