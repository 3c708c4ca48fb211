-- The refresh functions: new sales are loaded as the initial rows are, old ones deleted here.
-- How many orders each function has done, of all sets together, is written in the
-- transaction of the orders themselves.

-- name: done
SELECT function_name, orders_done FROM sledge_refresh

-- name: begin
INSERT INTO sledge_refresh (function_name, orders_done) VALUES (:function_name, :orders_done)

-- name: advance
-- Changes nothing if another run has refreshed meanwhile.
UPDATE sledge_refresh SET orders_done = :orders_done
WHERE function_name = :function_name AND orders_done = :orders_before

-- name: delete_lines
-- Old sales are those of the initial rows, in the order of their keys. Of 32 keys the initial
-- rows have the first eight (TPC-H 4.2.3), and new sales others.
DELETE FROM lineitem WHERE l_orderkey BETWEEN :low AND :high AND l_orderkey % 32 < 8

-- name: delete_orders
DELETE FROM orders WHERE o_orderkey BETWEEN :low AND :high AND o_orderkey % 32 < 8

-- The tables that rows are loaded into, which a schema of another program may have by names of
-- its own.

-- name: orders
orders

-- name: lineitem
lineitem
