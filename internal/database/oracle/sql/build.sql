-- Who works for a build that holds no claim any more, and the statement that ends it, for the
-- system's user. Only the user's own sessions are meant that Sledge has said to be a build's.
-- name: orphans
SELECT 'session ' || s.sid || ',' || s.serial#, 'ALTER SYSTEM KILL SESSION ''' || s.sid || ',' || s.serial# || ',@' || s.inst_id || ''' IMMEDIATE'
FROM gv$session s
WHERE s.username = :owner AND s.module = :module AND s.action = :action AND s.status <> 'KILLED'
