-- What sledge top shows of sessions beside activity.sql: see the file of PostgreSQL. Babelfish lacks the
-- views. No test has run it on a server.
-- name: lacking
SELECT CASE
  WHEN COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE'), 0) = 1 OR COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE'), 0) = 1 THEN ''
  ELSE 'sessions of other logins are hidden. As an administrator, execute GRANT VIEW SERVER STATE TO ' + QUOTENAME(SUSER_SNAME()) END AS lacking

-- name: count
IF OBJECT_ID('sys.dm_exec_sessions') IS NOT NULL
  SELECT COUNT(*) AS connected, @@MAX_CONNECTIONS AS most FROM sys.dm_exec_sessions WHERE is_user_process = 1

-- name: list
IF OBJECT_ID('sys.dm_exec_requests') IS NOT NULL AND OBJECT_ID('sys.dm_exec_sessions') IS NOT NULL AND OBJECT_ID('sys.dm_exec_connections') IS NOT NULL
  SELECT CAST(s.session_id AS varchar(11)) AS id, s.login_name AS username, COALESCE(DB_NAME(s.database_id), '') AS dbname,
    COALESCE(c.client_net_address, '') AS client, COALESCE(r.status, s.status) AS state,
    DATEDIFF_BIG(microsecond, '19700101', COALESCE(r.start_time, s.last_request_end_time)) AS since, COALESCE(SUBSTRING(t.text, 1, 200), '') AS statement
  FROM sys.dm_exec_sessions s
  LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
  LEFT JOIN sys.dm_exec_connections c ON c.session_id = s.session_id AND c.parent_connection_id IS NULL
  OUTER APPLY sys.dm_exec_sql_text(COALESCE(r.sql_handle, c.most_recent_sql_handle)) t
  WHERE s.session_id <> @@SPID AND (r.session_id IS NOT NULL OR s.open_transaction_count > 0 OR s.session_id IN (:ids))

-- name: lock_waits
IF OBJECT_ID('sys.dm_os_waiting_tasks') IS NOT NULL
  SELECT CAST(w.session_id AS varchar(11)) AS waiter, COALESCE(LEFT(w.resource_description, 200), '') AS object,
    DATEDIFF_BIG(microsecond, '19700101', SYSDATETIME()) - 1000 * w.wait_duration_ms AS since
  FROM sys.dm_os_waiting_tasks w
  WHERE w.session_id IS NOT NULL AND w.wait_type LIKE 'LCK%'
