-- What sledge top shows of sessions beside activity.sql.
-- What a user without the rights of a monitor can do to see the sessions of all users, or ''.
-- name: lacking
SELECT CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN ''
  ELSE 'sessions of other users and background processes are hidden. As a superuser, execute GRANT pg_read_all_stats TO ' || quote_ident(current_user) END

-- The number of sessions, which every user may know, and their maximum.
-- name: count
SELECT COALESCE(sum(numbackends), 0), current_setting('max_connections') FROM pg_stat_database

-- The ID, the user, the database, the client, the state, its beginning in microseconds since 1970, and the
-- statement.
-- name: list
SELECT pid, COALESCE(usename, ''), COALESCE(datname, ''), COALESCE(host(client_addr), ''), COALESCE(state, ''),
  (extract(epoch FROM state_change) * 1000000)::bigint, left(query, 200)
FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND backend_type IS NOT NULL AND (state IS DISTINCT FROM 'idle' OR pid IN (:ids))

-- The waiter, what is locked, and since when it waits, which PostgreSQL 14 and later know.
-- name: lock_waits
SELECT w.pid, w.locktype || COALESCE(' ' || CASE WHEN w.database = d.oid THEN w.relation::regclass::text END, ''),
  (extract(epoch FROM (to_jsonb(w) ->> 'waitstart')::timestamptz) * 1000000)::bigint
FROM pg_locks w, pg_database d
WHERE NOT w.granted AND d.datname = current_database()
