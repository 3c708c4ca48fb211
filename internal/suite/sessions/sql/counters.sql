-- The table of counters has the columns id and n, which must not be NULL.

-- name: insert
INSERT INTO sledge_test_counters (id, n) VALUES (:id, :n)

-- An existing id violates the primary key.
-- name: refused
INSERT INTO sledge_test_counters (id, n) VALUES (:id, 7)

-- name: null
INSERT INTO sledge_test_counters (id, n) VALUES (:id, NULL)

-- name: update
UPDATE sledge_test_counters SET n = :n WHERE id = :id

-- A parameter that occurs twice uses the same field both times.
-- name: add
UPDATE sledge_test_counters SET n = n + :n WHERE id = :id AND :id > 0

-- Two transactions that execute it on each other's row deadlock.
-- name: increment
UPDATE sledge_test_counters SET n = n + 1 WHERE id = :id

-- name: read
SELECT n FROM sledge_test_counters WHERE id = :id

-- name: count
SELECT COUNT(*) FROM sledge_test_counters

-- name: sum
SELECT SUM(n) FROM sledge_test_counters

-- A missing table.
-- name: nowhere
SELECT n FROM sledge_test_nowhere

-- name: nonsense
THIS IS NOT SQL
