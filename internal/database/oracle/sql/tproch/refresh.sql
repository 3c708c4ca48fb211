-- Oracle has no modulo operator. Old sales are the initial rows: they have the first eight of every
-- 32 keys (TPC-H 4.2.3), and new sales have others.
-- name: delete_lines
DELETE FROM lineitem WHERE l_orderkey BETWEEN :low AND :high AND MOD(l_orderkey, 32) < 8

-- name: delete_orders
DELETE FROM orders WHERE o_orderkey BETWEEN :low AND :high AND MOD(o_orderkey, 32) < 8
