-- The sessions that are not idle: ID, the kind of background process or '', the program, the wait, and
-- the statement. A session that has begun a transaction and executes nothing waits for its client. Of
-- other users' sessions and background processes, a user without the rights of a monitor sees only that
-- they exist; these rows are left out, because they would count as sessions that compute.
SELECT pid, CASE WHEN backend_type IN ('client backend', 'parallel worker') THEN '' ELSE backend_type END AS background,
  COALESCE(NULLIF(application_name, ''), usename, '') AS program,
  CASE WHEN state LIKE 'idle in transaction%' THEN 'Client/ClientRead' ELSE COALESCE(wait_event_type || '/' || wait_event, '') END AS wait,
  left(query, 200) AS statement
FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND backend_type IS NOT NULL AND state IS DISTINCT FROM 'idle' AND wait_event_type IS DISTINCT FROM 'Activity'
