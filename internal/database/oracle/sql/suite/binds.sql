-- Oracle compares a BLOB with a function.
-- name: find
SELECT id, large, amount, words, moment, data FROM sledge_test_binds WHERE moment = :moment AND DBMS_LOB.COMPARE(data, TO_BLOB(:data)) = 0
