-- Commits and rollbacks in this database, including those of single statements without BEGIN, but
-- not those in other databases of the server. Each parallel worker of a query commits twice while it
-- starts, which is no transaction of a user. PostgreSQL before 18 does not tell the number of workers.
--
-- The live count of transactions and the TPM of a run use it.
SELECT xact_commit + xact_rollback - 2 * COALESCE((to_jsonb(d) ->> 'parallel_workers_launched')::bigint, 0)
FROM pg_stat_database d WHERE datname = current_database()
