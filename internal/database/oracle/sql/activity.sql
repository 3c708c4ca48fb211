-- The sessions that are not idle: see the file of PostgreSQL. A session that waits for nothing keeps the name
-- of its last wait, which may be an idle one. The server knows the statement that runs, and the routine that
-- the client has called. A session that executes nothing in an open transaction waits for its client. It
-- needs no licence beyond the server's, and the role SELECT_CATALOG_ROLE. Of a cluster, it lists the
-- sessions of one instance. No test has run it on a server.
SELECT TO_CHAR(s.sid) AS id, CASE WHEN s.type = 'BACKGROUND' THEN COALESCE(b.name, 'background') END AS background, COALESCE(s.program, s.username) AS program,
  CASE WHEN s.status = 'INACTIVE' THEN 'open transaction' WHEN s.state = 'WAITING' THEN s.wait_class || '/' || s.event END AS wait,
  COALESCE(o.object_name, SUBSTR(q.sql_text, 1, 200)) AS statement, NULL AS asked, NULL AS now, NULL AS since,
  NVL2(o.object_name, SUBSTR(q.sql_text, 1, 200), NULL) AS inner_statement, CASE WHEN s.blocking_session_status = 'VALID' THEN TO_CHAR(s.blocking_session) END AS blockers
FROM v$session s
LEFT JOIN v$bgprocess b ON b.paddr = s.paddr AND s.type = 'BACKGROUND'
LEFT JOIN v$sql q ON q.sql_id = s.sql_id AND q.child_number = s.sql_child_number
LEFT JOIN dba_objects o ON o.object_id = s.plsql_entry_object_id
WHERE s.sid <> SYS_CONTEXT('USERENV', 'SID')
  AND (s.status = 'ACTIVE' AND (s.state <> 'WAITING' OR s.wait_class <> 'Idle') OR s.status = 'INACTIVE' AND s.taddr IS NOT NULL)
