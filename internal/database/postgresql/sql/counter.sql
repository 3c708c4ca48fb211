-- Commits and rollbacks in this database, those of single statements without BEGIN
-- included. Other databases of the server are not counted.
--
-- The live count of transactions and the TPM of a run are by it.
SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()
