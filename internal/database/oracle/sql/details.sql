-- What sledge top shows of sessions beside activity.sql: see the file of PostgreSQL. It needs the role
-- SELECT_CATALOG_ROLE, without which activity.sql fails first. No test has run it on a server.
-- name: lacking
SELECT NULL AS lacking FROM dual

-- name: count
SELECT TO_CHAR(COUNT(*)) AS connected, (SELECT value FROM v$parameter WHERE name = 'sessions') AS most FROM v$session WHERE type = 'USER'

-- The server knows to a second since when a session is in its state.
-- name: list
SELECT TO_CHAR(s.sid) AS id, s.username AS username, s.schemaname AS dbname, s.machine AS client, s.status AS state,
  TO_CHAR(ROUND(((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400 - s.last_call_et) * 1000000)) AS since,
  SUBSTR(q.sql_text, 1, 200) AS statement
FROM v$session s
LEFT JOIN v$sql q ON q.sql_id = COALESCE(s.sql_id, s.prev_sql_id) AND q.child_number = NVL2(s.sql_id, s.sql_child_number, s.prev_child_number)
WHERE s.sid <> SYS_CONTEXT('USERENV', 'SID') AND s.type = 'USER' AND (s.status = 'ACTIVE' OR s.taddr IS NOT NULL OR s.sid IN (:ids))

-- name: lock_waits
SELECT TO_CHAR(s.sid) AS waiter, NVL2(o.object_name, 'row of ' || o.owner || '.' || o.object_name, s.event) AS object,
  TO_CHAR(ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - DATE '1970-01-01') * 86400000000 - s.wait_time_micro)) AS since
FROM v$session s
LEFT JOIN dba_objects o ON o.object_id = s.row_wait_obj#
WHERE s.blocking_session_status = 'VALID' AND s.state = 'WAITING'
