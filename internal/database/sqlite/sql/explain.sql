-- SQLite has no EXPLAIN with times.
-- name: plan
EXPLAIN QUERY PLAN :query
