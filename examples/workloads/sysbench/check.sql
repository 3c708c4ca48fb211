-- name: values
-- k is between 1 and 1000, or what it was when the table was built
SELECT id, k FROM sbtest1 WHERE k < 1 OR c IS NULL
