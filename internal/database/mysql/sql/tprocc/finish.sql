-- Statistics for the planner, of each table as soon as it is loaded.

-- name: order_line
ANALYZE TABLE order_line

-- name: stock
ANALYZE TABLE stock

-- name: customer
ANALYZE TABLE customer

-- name: history
ANALYZE TABLE history

-- name: orders
ANALYZE TABLE orders

-- name: new_order
ANALYZE TABLE new_order

-- name: item
ANALYZE TABLE item

-- name: district
ANALYZE TABLE district

-- name: warehouse
ANALYZE TABLE warehouse
