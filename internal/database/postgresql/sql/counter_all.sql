-- Commits and rollbacks in all databases of the server, including those of single statements
-- without BEGIN.
--
-- It is for watching a server rather than a test.
SELECT sum(xact_commit + xact_rollback)::bigint FROM pg_stat_database
