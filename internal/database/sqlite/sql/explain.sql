-- There is none with times.
-- name: plan
EXPLAIN QUERY PLAN :query
