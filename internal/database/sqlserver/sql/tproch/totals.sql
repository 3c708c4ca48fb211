-- What check compares with the rows that dbgen makes, which may be more than an int counts.

-- name: orders
SELECT COUNT_BIG(*), SUM(o_orderkey) FROM orders

-- name: lines
SELECT COUNT_BIG(*), SUM(l_quantity) FROM lineitem
