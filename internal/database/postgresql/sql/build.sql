-- A job finds other jobs in the same database by these locks: the server releases an advisory lock
-- when its session ends, for any reason. During a build, an idle session holds the build's claim,
-- and ends with its client. Runs share that lock. The sessions that do the work share a second
-- lock: a back end that continues a statement after its client was killed still holds it.

-- name: claim
SELECT pg_try_advisory_lock(1936483684, 1)::integer

-- The same for a session that has its own connection only during a transaction, which stays open.
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

-- The sessions that still work for a build that no longer holds a claim, and the statements that
-- end them.
-- name: orphans
SELECT concat('back end ', pid), concat('SELECT pg_terminate_backend(', pid, ')')
FROM pg_locks
WHERE locktype = 'advisory' AND granted AND classid = 1936483684 AND objid = 2 AND pid <> pg_backend_pid()
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
