-- The server's own counters: see the file of PostgreSQL. Names have _ in place of spaces. They need the role
-- SELECT_CATALOG_ROLE, and no pack. In a pluggable database they count that database. No test has run them
-- on a server.
-- name: sysstat
SELECT REPLACE(name, ' ', '_') AS name, TO_CHAR(value) AS value FROM v$sysstat
WHERE name IN ('user commits', 'user rollbacks', 'user calls', 'execute count', 'parse count (total)', 'parse count (hard)', 'redo size', 'redo writes', 'redo write time',
  'redo log space requests', 'session logical reads', 'physical reads', 'physical writes', 'physical read total bytes', 'physical write total bytes', 'db block changes',
  'consistent gets', 'sorts (disk)', 'table scans (long tables)', 'enqueue waits', 'enqueue deadlocks', 'bytes sent via SQL*Net to client', 'bytes received via SQL*Net from client')
UNION ALL
SELECT 'uptime', TO_CHAR(ROUND((SYSDATE - startup_time) * 86400)) FROM v$instance

-- name: sys_time_model
SELECT REPLACE(stat_name, ' ', '_') AS name, TO_CHAR(value) AS value FROM v$sys_time_model
UNION ALL
SELECT 'uptime', TO_CHAR(ROUND((SYSDATE - startup_time) * 86400)) FROM v$instance

-- name: system_event
SELECT event AS part, 'total_waits' AS name, TO_CHAR(total_waits) AS value FROM v$system_event WHERE wait_class <> 'Idle'
UNION ALL
SELECT event, 'time_waited_micro', TO_CHAR(time_waited_micro) FROM v$system_event WHERE wait_class <> 'Idle'
UNION ALL
SELECT '', 'uptime', TO_CHAR(ROUND((SYSDATE - startup_time) * 86400)) FROM v$instance
