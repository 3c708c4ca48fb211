-- Returns 1, and reads no table.
SELECT 1
