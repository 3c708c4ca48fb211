-- The sessions that are not idle: ID, the kind of background process or '', the program, the wait, the
-- statement, and in microseconds since 1970 when the server received this request, when it looked, and
-- when the session began what it does; then the statement that a routine executes, which PostgreSQL does
-- not show, and the IDs of the sessions before it in the queue for a lock. Collecting these holds up the
-- table of locks, so only sessions that wait for a lock are asked. A session that has begun a transaction
-- and executes nothing waits for its client. A parallel worker has the ID of its leader. Of other users'
-- sessions and background processes, a user without the rights of a monitor sees only that they exist;
-- these rows are left out, because they would count as sessions that compute.
SELECT COALESCE(leader_pid, pid) AS id, CASE WHEN backend_type IN ('client backend', 'parallel worker') THEN '' ELSE backend_type END AS background,
  COALESCE(NULLIF(application_name, ''), usename, '') AS program,
  CASE WHEN state LIKE 'idle in transaction%' THEN 'Client/ClientRead' ELSE COALESCE(wait_event_type || '/' || wait_event, '') END AS wait,
  left(query, 200) AS statement,
  (extract(epoch FROM statement_timestamp()) * 1000000)::bigint AS asked,
  (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now, (extract(epoch FROM state_change) * 1000000)::bigint AS since,
  '' AS inner_statement, CASE WHEN wait_event_type = 'Lock' THEN array_to_string(pg_blocking_pids(pid), ' ') ELSE '' END AS blockers
FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND backend_type IS NOT NULL AND state IS DISTINCT FROM 'idle' AND wait_event_type IS DISTINCT FROM 'Activity'
ORDER BY leader_pid NULLS FIRST
