-- name: plan
EXPLAIN :query

-- BUFFERS shows which data were read from where. Newer server versions enable more of these options
-- by default.
-- name: timed
EXPLAIN (ANALYZE, BUFFERS) :query
