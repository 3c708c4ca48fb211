-- The sessions that still work for a build that no longer holds a claim, and the statements by
-- which the system user ends them. They are only the user's own sessions that Sledge has marked as
-- a build's.
-- name: orphans
SELECT 'session ' || s.sid || ',' || s.serial#, 'ALTER SYSTEM KILL SESSION ''' || s.sid || ',' || s.serial# || ',@' || s.inst_id || ''' IMMEDIATE'
FROM gv$session s
WHERE s.username = :owner AND s.module = :module AND s.action = :action AND s.status <> 'KILLED'
