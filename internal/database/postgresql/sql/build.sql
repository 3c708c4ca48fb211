-- By these a job knows of others in the same database, for advisory locks end with
-- their session, however that ends. An idle session holds the claim of a build that
-- is at work, and goes with its client. Runs share that lock. Those that do the work share a second lock:
-- a back end that goes on with a statement though its client was killed still has it.

-- name: claim
SELECT pg_try_advisory_lock(1936483684, 1)::integer

-- The same for a session that has a connection of its own only within a transaction, which stays open.
-- name: claim_in_transaction
SELECT CASE WHEN set_config('idle_in_transaction_session_timeout', '0', true) = '0' THEN pg_try_advisory_xact_lock(1936483684, 1)::integer END

-- name: share_for_a_moment
SELECT pg_try_advisory_xact_lock_shared(1936483684, 1)::integer

-- name: holder
SELECT concat('back end ', a.pid, ' of user ', a.usename, coalesce(' from ' || host(a.client_addr), ''), ', connected since ', a.backend_start::timestamp(0))
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.mode = 'ExclusiveLock' AND l.classid = 1936483684 AND l.objid = 1
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())

-- name: share
SELECT pg_try_advisory_lock_shared(1936483684, 1)::integer

-- name: sharers
SELECT concat('back end ', a.pid, ' of user ', a.usename, coalesce(' from ' || host(a.client_addr), ''), ', connected since ', a.backend_start::timestamp(0))
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.mode = 'ShareLock' AND l.classid = 1936483684 AND l.objid = 1
  AND pid <> pg_backend_pid()
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())

-- name: work
SELECT pg_advisory_lock_shared(1936483684, 2)

-- Who works for a build that holds no claim any more, and the statement that ends it.
-- name: orphans
SELECT concat('back end ', pid), concat('SELECT pg_terminate_backend(', pid, ')')
FROM pg_locks
WHERE locktype = 'advisory' AND granted AND classid = 1936483684 AND objid = 2 AND pid <> pg_backend_pid()
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
