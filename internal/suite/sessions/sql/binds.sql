-- The table for fields that may be NULL: id, large, amount, words, moment, data.

-- name: insert
INSERT INTO sledge_test_binds (id, large, amount, words, moment, data) VALUES (:id, :large, :amount, :words, :moment, :data)

-- name: read
SELECT id, large, amount, words, moment, data FROM sledge_test_binds WHERE id >= :id ORDER BY id

-- name: find
SELECT id, large, amount, words, moment, data FROM sledge_test_binds WHERE moment = :moment AND data = :data

-- name: at
SELECT COUNT(*) FROM sledge_test_binds WHERE id = 4 AND moment = '2024-02-29 20:30:00'

-- name: nulls
SELECT COUNT(*) FROM sledge_test_binds WHERE large IS NULL AND amount IS NULL AND moment IS NULL AND data IS NULL

-- name: count
SELECT COUNT(*) FROM sledge_test_binds

-- name: sum
SELECT SUM(large) FROM sledge_test_binds
