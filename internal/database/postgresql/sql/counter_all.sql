-- The transactions that all databases of the server have ended, for who watches a
-- server and not a test.
SELECT sum(xact_commit + xact_rollback)::bigint FROM pg_stat_database
