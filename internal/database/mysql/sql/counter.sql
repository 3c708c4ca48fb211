-- COMMIT and ROLLBACK statements of the whole server, those in stored procedures
-- included, those of autocommit not.
--
-- Counts of statements are in no table of MySQL's from 5.7 on. The two are added up.
SHOW GLOBAL STATUS WHERE variable_name IN ('Com_commit', 'Com_rollback')
