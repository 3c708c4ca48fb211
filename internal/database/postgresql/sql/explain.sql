-- name: plan
EXPLAIN :query

-- Buffers tell what was read from where; with each server version more of this is the default.
-- name: timed
EXPLAIN (ANALYZE, BUFFERS) :query
