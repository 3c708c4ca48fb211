-- The sessions that are not idle: see the file of PostgreSQL. The server knows the statement that runs, and
-- the routine that it belongs to, if there is one. A request without a wait runs, or waits for a
-- processor. A session that executes nothing in an open transaction waits for its client. Requests
-- have their times to 3 ms. Babelfish lacks the views. No test has run it on a server.
IF OBJECT_ID('sys.dm_exec_requests') IS NOT NULL AND OBJECT_ID('sys.dm_exec_sessions') IS NOT NULL
  SELECT CAST(r.session_id AS varchar(11)) AS id, CASE WHEN s.is_user_process = 0 THEN LOWER(r.command) ELSE '' END AS background,
    COALESCE(NULLIF(s.program_name, ''), s.login_name) AS program,
    CASE r.status WHEN 'running' THEN '' WHEN 'runnable' THEN 'runnable' ELSE COALESCE(r.wait_type, '') END AS wait,
    COALESCE(OBJECT_NAME(t.objectid, t.dbid), SUBSTRING(t.text, r.statement_start_offset / 2 + 1, 200), '') AS statement,
    DATEDIFF_BIG(microsecond, '19700101', SYSDATETIME()) AS asked, DATEDIFF_BIG(microsecond, '19700101', SYSDATETIME()) AS now,
    DATEDIFF_BIG(microsecond, '19700101', r.start_time) AS since,
    CASE WHEN t.objectid IS NULL THEN '' ELSE SUBSTRING(t.text, r.statement_start_offset / 2 + 1, 200) END AS inner_statement,
    CASE WHEN r.blocking_session_id > 0 AND r.blocking_session_id <> r.session_id THEN CAST(r.blocking_session_id AS varchar(11)) ELSE '' END AS blockers
  FROM sys.dm_exec_requests r JOIN sys.dm_exec_sessions s ON s.session_id = r.session_id OUTER APPLY sys.dm_exec_sql_text(r.sql_handle) t
  WHERE r.session_id <> @@SPID
  UNION ALL
  SELECT CAST(s.session_id AS varchar(11)), '', COALESCE(NULLIF(s.program_name, ''), s.login_name), 'open transaction', '',
    DATEDIFF_BIG(microsecond, '19700101', SYSDATETIME()), DATEDIFF_BIG(microsecond, '19700101', SYSDATETIME()),
    DATEDIFF_BIG(microsecond, '19700101', s.last_request_end_time), '', ''
  FROM sys.dm_exec_sessions s
  WHERE s.status = 'sleeping' AND s.open_transaction_count > 0 AND s.session_id <> @@SPID

-- Without the permission a login sees its own session only, and gets no error.
-- name: lacking
SELECT CASE
  WHEN OBJECT_ID('sys.dm_exec_requests') IS NULL OR OBJECT_ID('sys.dm_exec_sessions') IS NULL THEN 'this server does not show its requests'
  WHEN COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE'), 0) = 1 THEN ''
  WHEN COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE'), 0) = 1 THEN ''
  WHEN CAST(SERVERPROPERTY('EngineEdition') AS int) = 5 AND COALESCE(HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'VIEW DATABASE STATE'), 0) = 1 THEN ''
  ELSE 'the login lacks the permission VIEW SERVER STATE' END AS lacking
