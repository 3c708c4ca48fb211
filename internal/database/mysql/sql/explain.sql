-- In JSON, which also shows what EXPLAIN's table omits: which steps sort, and where each subquery
-- belongs.
-- name: plan
EXPLAIN FORMAT=JSON :query

-- As a tree, since 8.0.18.
-- name: timed
EXPLAIN ANALYZE :query
