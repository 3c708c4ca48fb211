-- The totals that check compares with dbgen's, which may exceed an int.

-- name: orders
SELECT COUNT_BIG(*), SUM(o_orderkey) FROM orders

-- name: lines
SELECT COUNT_BIG(*), SUM(l_quantity) FROM lineitem
