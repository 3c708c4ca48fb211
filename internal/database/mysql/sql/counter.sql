-- COMMIT and ROLLBACK statements of the whole server, including those in stored procedures, but not
-- the commits of autocommit.
--
-- Since 5.7, no table of MySQL has the counts of statements. Sledge adds the two up.
SHOW GLOBAL STATUS WHERE variable_name IN ('Com_commit', 'Com_rollback')
