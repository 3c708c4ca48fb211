-- name: delete_lines
DELETE FROM lineitem WHERE l_orderkey BETWEEN :low AND :high AND MOD(l_orderkey, 32) < 8

-- name: delete_orders
DELETE FROM orders WHERE o_orderkey BETWEEN :low AND :high AND MOD(o_orderkey, 32) < 8
