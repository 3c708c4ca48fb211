-- The refresh functions: new sales are loaded like the initial rows, and old sales are deleted
-- here. Each transaction also records how many orders its function has processed, over all sets.

-- name: done
SELECT function_name, orders_done FROM sledge_refresh

-- name: begin
INSERT INTO sledge_refresh (function_name, orders_done) VALUES (:function_name, :orders_done)

-- name: advance
-- Changes no row if another run has refreshed in the meantime.
UPDATE sledge_refresh SET orders_done = :orders_done
WHERE function_name = :function_name AND orders_done = :orders_before

-- name: delete_lines
-- Old sales are the orders of the initial rows, by key. The initial rows have the first eight of
-- each 32 keys (TPC-H 4.2.3), and new sales have others.
DELETE FROM lineitem WHERE l_orderkey BETWEEN :low AND :high AND l_orderkey % 32 < 8

-- name: delete_orders
DELETE FROM orders WHERE o_orderkey BETWEEN :low AND :high AND o_orderkey % 32 < 8

-- The tables that rows are loaded into. Their names may differ in a schema of another program.

-- name: orders
orders

-- name: lineitem
lineitem
