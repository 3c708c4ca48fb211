-- MySQL requires the names of the tables.

-- name: statistics
ANALYZE TABLE region, nation, supplier, customer, part, partsupp, orders, lineitem
