-- A job finds other jobs in the same database by these locks: the server releases an application
-- lock when its session ends, for any reason. During a build, an idle session holds the build's
-- claim, and ends with its client. Runs share that lock. The sessions that do the work share a
-- second lock: a session that continues a statement after its client was killed still holds it.

-- name: claim
DECLARE @sledge_answer int;
EXECUTE @sledge_answer = sp_getapplock @Resource = 'sledge.build', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0;
SELECT CASE WHEN @sledge_answer >= 0 THEN 1 ELSE 0 END AS claimed

-- Returns no row to a login that may not see the sessions of others, and none on a server without
-- these views. Babelfish has no sys.dm_tran_locks, and its TRY does not catch a missing view.
-- name: holder
IF OBJECT_ID('sys.dm_tran_locks') IS NULL
  SELECT 'nobody' AS holder WHERE 1 = 0
ELSE
BEGIN TRY
  EXECUTE ('SELECT CONCAT(''session '', s.session_id, '' of login '', s.login_name COLLATE DATABASE_DEFAULT, '' from '', s.host_name COLLATE DATABASE_DEFAULT, '', connected since '', CONVERT(varchar(19), s.login_time, 120)) AS holder
    FROM sys.dm_tran_locks l JOIN sys.dm_exec_sessions s ON s.session_id = l.request_session_id
    WHERE l.resource_type = ''APPLICATION'' AND l.resource_database_id = DB_ID() AND l.request_status = ''GRANT'' AND l.request_mode = ''X'' AND l.resource_description LIKE ''%sledge.build%''')
END TRY
BEGIN CATCH
  SELECT 'nobody' AS holder WHERE 1 = 0
END CATCH

-- name: share
DECLARE @sledge_answer int;
EXECUTE @sledge_answer = sp_getapplock @Resource = 'sledge.build', @LockMode = 'Shared', @LockOwner = 'Session', @LockTimeout = 0;
SELECT CASE WHEN @sledge_answer >= 0 THEN 1 ELSE 0 END AS claimed

-- name: sharers
IF OBJECT_ID('sys.dm_tran_locks') IS NULL
  SELECT 'nobody' AS holder WHERE 1 = 0
ELSE
BEGIN TRY
  EXECUTE ('SELECT CONCAT(''session '', s.session_id, '' of login '', s.login_name COLLATE DATABASE_DEFAULT, '' from '', s.host_name COLLATE DATABASE_DEFAULT, '', connected since '', CONVERT(varchar(19), s.login_time, 120)) AS holder
    FROM sys.dm_tran_locks l JOIN sys.dm_exec_sessions s ON s.session_id = l.request_session_id
    WHERE l.resource_type = ''APPLICATION'' AND l.resource_database_id = DB_ID() AND l.request_status = ''GRANT'' AND l.request_mode = ''S'' AND l.resource_description LIKE ''%sledge.build%''
      AND l.request_session_id <> @@SPID')
END TRY
BEGIN CATCH
  SELECT 'nobody' AS holder WHERE 1 = 0
END CATCH

-- name: work
EXECUTE sp_getapplock @Resource = 'sledge.work', @LockMode = 'Shared', @LockOwner = 'Session', @LockTimeout = 0

-- The sessions that still work for a build that no longer holds a claim, and the statements that
-- end them.
-- name: orphans
IF OBJECT_ID('sys.dm_tran_locks') IS NULL
  SELECT 'nobody' AS session, '' AS ending WHERE 1 = 0
ELSE
BEGIN TRY
  EXECUTE ('SELECT CONCAT(''session '', l.request_session_id) AS session, CONCAT(''KILL '', l.request_session_id) AS ending
    FROM sys.dm_tran_locks l
    WHERE l.resource_type = ''APPLICATION'' AND l.resource_database_id = DB_ID() AND l.request_status = ''GRANT'' AND l.resource_description LIKE ''%sledge.work%''
      AND l.request_session_id <> @@SPID')
END TRY
BEGIN CATCH
  SELECT 'nobody' AS session, '' AS ending WHERE 1 = 0
END CATCH
