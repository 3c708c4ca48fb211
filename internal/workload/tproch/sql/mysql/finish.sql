-- Statistics for the planner, of each table as soon as it is loaded.

-- name: lineitem
ANALYZE TABLE lineitem

-- name: orders
ANALYZE TABLE orders

-- name: partsupp
ANALYZE TABLE partsupp

-- name: part
ANALYZE TABLE part

-- name: customer
ANALYZE TABLE customer

-- name: supplier
ANALYZE TABLE supplier

-- name: nation
ANALYZE TABLE nation

-- name: region
ANALYZE TABLE region
