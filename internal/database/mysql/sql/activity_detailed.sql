-- The sessions that are not idle, by performance_schema: see the file of PostgreSQL. It needs the
-- privilege SELECT on performance_schema. A session in a routine has a statement for each level: the
-- lowest is its client's, the highest is the one that it executes. A wait may contain another, which began
-- later: the session is in that one. Without a wait, the state is in its place. A table's wait contains
-- computing. The server's own threads are listed only while they read or write files, because most of their
-- other waits are for work.
SELECT COALESCE(t.PROCESSLIST_ID, CONCAT('thread ', t.THREAD_ID)) AS id,
  CASE WHEN t.TYPE <> 'FOREGROUND' THEN SUBSTRING_INDEX(t.NAME, '/', -1)
    WHEN t.PROCESSLIST_COMMAND IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Slave_IO', 'Slave_SQL', 'Slave_worker', 'Connect') THEN t.PROCESSLIST_COMMAND
    ELSE '' END AS background,
  COALESCE(t.PROCESSLIST_USER, '') AS program, COALESCE(SUBSTR(w.newest, 21), t.PROCESSLIST_STATE, '') AS wait,
  COALESCE(SUBSTR(s.lowest, 4), LEFT(t.PROCESSLIST_INFO, 200), '') AS statement,
  CAST(1000000 * UNIX_TIMESTAMP(NOW(6)) AS UNSIGNED) AS asked, CAST(1000000 * UNIX_TIMESTAMP(SYSDATE(6)) AS UNSIGNED) AS now,
  COALESCE(CAST(s.since AS UNSIGNED), '') AS since, IF(s.highest <> s.lowest, SUBSTR(s.highest, 4), '') AS inner_statement
FROM performance_schema.threads t
LEFT JOIN (
  SELECT THREAD_ID, MIN(CONCAT(LPAD(NESTING_EVENT_LEVEL, 3, '0'), COALESCE(LEFT(SQL_TEXT, 200), ''))) AS lowest,
    MAX(CONCAT(LPAD(NESTING_EVENT_LEVEL, 3, '0'), COALESCE(LEFT(SQL_TEXT, 200), ''))) AS highest,
    MIN(1000000 * UNIX_TIMESTAMP(SYSDATE(6)) - TIMER_WAIT / 1000000) AS since
  FROM performance_schema.events_statements_current GROUP BY THREAD_ID) s ON s.THREAD_ID = t.THREAD_ID
LEFT JOIN (
  SELECT THREAD_ID, MAX(CONCAT(LPAD(EVENT_ID, 20, '0'), EVENT_NAME, IF(EVENT_NAME LIKE 'wait/io/file/%', CONCAT('/', OPERATION), ''))) AS newest
  FROM performance_schema.events_waits_current WHERE END_EVENT_ID IS NULL AND EVENT_NAME LIKE 'wait/%' GROUP BY THREAD_ID) w ON w.THREAD_ID = t.THREAD_ID
WHERE IF(t.TYPE = 'FOREGROUND',
  t.PROCESSLIST_COMMAND <> 'Sleep' AND t.PROCESSLIST_ID <> CONNECTION_ID() AND NOT (t.PROCESSLIST_COMMAND = 'Daemon' AND t.PROCESSLIST_INFO IS NULL),
  SUBSTR(w.newest, 21) LIKE 'wait/io/file/%')

-- name: lacking
SELECT CASE WHEN NOT @@performance_schema THEN 'performance_schema is off'
  WHEN COUNT(*) > 0 THEN CONCAT('performance_schema.setup_consumers has ', MIN(NAME), ' off') ELSE '' END AS lacking
FROM performance_schema.setup_consumers
WHERE ENABLED <> 'YES' AND NAME IN ('global_instrumentation', 'thread_instrumentation', 'events_statements_current')

-- name: coarse
SELECT IF(COUNT(*) > 0, 'waits are known by the states of sessions, because performance_schema.setup_consumers has events_waits_current off', '') AS coarse
FROM performance_schema.setup_consumers WHERE ENABLED <> 'YES' AND NAME = 'events_waits_current'

-- The sessions that wait for a row, and those before them in the queue.
-- name: locks
SELECT r.PROCESSLIST_ID AS id, COALESCE(b.PROCESSLIST_ID, '') AS blocker, COALESCE(b.PROCESSLIST_USER, '') AS program
FROM performance_schema.data_lock_waits w
JOIN performance_schema.threads r ON r.THREAD_ID = w.REQUESTING_THREAD_ID
JOIN performance_schema.threads b ON b.THREAD_ID = w.BLOCKING_THREAD_ID
