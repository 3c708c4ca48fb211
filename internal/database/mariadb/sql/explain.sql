-- name: timed
ANALYZE FORMAT=JSON :query
