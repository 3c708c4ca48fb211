-- Commits and rollbacks in all databases of the server, including those of single statements
-- without BEGIN, but not those with which parallel workers start: see counter.sql.
--
-- It is for watching a server rather than a test.
SELECT sum(xact_commit + xact_rollback - 2 * COALESCE((to_jsonb(d) ->> 'parallel_workers_launched')::bigint, 0))::bigint
FROM pg_stat_database d
