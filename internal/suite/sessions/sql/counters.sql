-- The table of counters: id, n, neither of which may be NULL.

-- name: insert
INSERT INTO sledge_test_counters (id, n) VALUES (:id, :n)

-- A row that no constraint lets in, given the id of one that is there.
-- name: refused
INSERT INTO sledge_test_counters (id, n) VALUES (:id, 7)

-- name: null
INSERT INTO sledge_test_counters (id, n) VALUES (:id, NULL)

-- name: update
UPDATE sledge_test_counters SET n = :n WHERE id = :id

-- A parameter named twice takes the same field both times.
-- name: add
UPDATE sledge_test_counters SET n = n + :n WHERE id = :id AND :id > 0

-- What two transactions that do it to each other's row cannot both do.
-- name: increment
UPDATE sledge_test_counters SET n = n + 1 WHERE id = :id

-- name: read
SELECT n FROM sledge_test_counters WHERE id = :id

-- name: count
SELECT COUNT(*) FROM sledge_test_counters

-- name: sum
SELECT SUM(n) FROM sledge_test_counters

-- A table that is not there.
-- name: nowhere
SELECT n FROM sledge_test_nowhere

-- name: nonsense
THIS IS NOT SQL
