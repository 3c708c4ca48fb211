-- COMMIT and ROLLBACK statements of the whole server since it started, those in
-- stored procedures included, those of autocommit not.
SELECT SUM(variable_value) AS transactions
FROM information_schema.global_status WHERE variable_name IN ('Com_commit', 'Com_rollback')
