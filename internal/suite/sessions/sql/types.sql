-- The table has a column of every logical type. All columns except id may be NULL.

-- name: insert
INSERT INTO sledge_test_types (id, small, large, amount, code, words) VALUES (:id, :small, :large, :amount, :code, :words)

-- name: insert_id
INSERT INTO sledge_test_types (id) VALUES (:id)

-- name: insert_words
INSERT INTO sledge_test_types (id, words) VALUES (:id, :words)

-- name: read
SELECT words, id, small, large, amount, code, moment FROM sledge_test_types WHERE id = :id

-- name: words
SELECT words FROM sledge_test_types WHERE id = :id

-- name: aggregate
SELECT COUNT(*) AS row_count, SUM(amount) AS total, MAX(small) AS no_value FROM sledge_test_types WHERE id = 9

-- name: from
SELECT id, words FROM sledge_test_types WHERE id >= :id ORDER BY id

-- name: update
UPDATE sledge_test_types SET words = :words WHERE id = :id

-- name: delete
DELETE FROM sledge_test_types WHERE id = :id

-- name: update_from
UPDATE sledge_test_types SET small = 1 WHERE id >= :id

-- name: delete_from
DELETE FROM sledge_test_types WHERE id >= :id

-- name: texts
SELECT id, words, small FROM sledge_test_types ORDER BY id

-- name: ids
SELECT id FROM sledge_test_types

-- name: none
SELECT id FROM sledge_test_types WHERE id < 0

-- name: count
SELECT COUNT(*) FROM sledge_test_types

-- name: nulls
SELECT COUNT(*) FROM sledge_test_types WHERE small IS NULL AND words IS NULL AND moment IS NULL

-- name: moments
SELECT COUNT(*) FROM sledge_test_types WHERE moment > '2026-02-28 23:59:57' AND moment < '2026-02-28 23:59:59'

-- name: days
SELECT COUNT(*) FROM sledge_test_types WHERE day >= '2026-02-28' AND day < '2026-03-01'

-- name: day
SELECT COUNT(*) FROM sledge_test_types WHERE day = '1999-12-31'
