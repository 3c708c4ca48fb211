-- Oracle has no operator for what is left of a division. Old sales are those of the initial rows:
-- of 32 keys these have the first eight (TPC-H 4.2.3), and new sales others.
-- name: delete_lines
DELETE FROM lineitem WHERE l_orderkey BETWEEN :low AND :high AND MOD(l_orderkey, 32) < 8

-- name: delete_orders
DELETE FROM orders WHERE o_orderkey BETWEEN :low AND :high AND MOD(o_orderkey, 32) < 8
