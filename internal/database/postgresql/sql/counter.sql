-- Commits and rollbacks in this database, including those of single statements without BEGIN, but
-- not those in other databases of the server.
--
-- The live count of transactions and the TPM of a run use it.
SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()
