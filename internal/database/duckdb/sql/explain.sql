-- name: plan
EXPLAIN (FORMAT JSON) :query

-- name: timed
EXPLAIN (ANALYZE, FORMAT JSON) :query
