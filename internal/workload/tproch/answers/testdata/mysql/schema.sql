-- MySQL has to be told which tables.

-- name: statistics
ANALYZE TABLE region, nation, supplier, customer, part, partsupp, orders, lineitem
