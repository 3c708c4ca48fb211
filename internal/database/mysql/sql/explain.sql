-- As JSON, which also has what the table of EXPLAIN leaves out: which steps sort, and
-- which subqueries belong where.
-- name: plan
EXPLAIN FORMAT=JSON :query

-- Since 8.0.18, as a tree.
-- name: timed
EXPLAIN ANALYZE :query
