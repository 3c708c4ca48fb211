-- The transactions that this database has ended, as the live count of transactions
-- and the TPM of a run show them. Other databases of the server are not counted.
SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()
