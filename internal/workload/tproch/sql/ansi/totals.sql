-- Totals that a check compares with dbgen's rows.

-- name: orders
SELECT COUNT(*), SUM(o_orderkey) FROM orders

-- name: lines
SELECT COUNT(*), SUM(l_quantity) FROM lineitem
