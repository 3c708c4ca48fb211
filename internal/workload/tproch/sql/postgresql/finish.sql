-- Statistics for the planner, and the visibility map, which a load leaves empty. Otherwise
-- autovacuum would create the map during the first run.

-- name: lineitem
VACUUM (ANALYZE) lineitem

-- name: orders
VACUUM (ANALYZE) orders

-- name: partsupp
VACUUM (ANALYZE) partsupp

-- name: part
VACUUM (ANALYZE) part

-- name: customer
VACUUM (ANALYZE) customer

-- name: supplier
VACUUM (ANALYZE) supplier

-- name: nation
VACUUM (ANALYZE) nation

-- name: region
VACUUM (ANALYZE) region
