-- name: keys
-- each number has one key
SELECT COUNT(*) AS records, COUNT(DISTINCT ycsb_number) AS numbers FROM usertable
HAVING COUNT(*) <> COUNT(DISTINCT ycsb_number)
