-- What check compares with the rows that dbgen makes.

-- name: orders
SELECT COUNT(*), SUM(o_orderkey) FROM orders

-- name: lines
SELECT COUNT(*), SUM(l_quantity) FROM lineitem
