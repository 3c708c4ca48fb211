-- Commits and rollbacks in all databases of the server, those of single statements
-- without BEGIN included.
--
-- It is for who watches a server and not a test.
SELECT sum(xact_commit + xact_rollback)::bigint FROM pg_stat_database
