-- By these a job knows of others in the same database, for locks of an application end with
-- their session, however that ends. An idle session holds the claim of a build that is at work,
-- and goes with its client. Runs share that lock. Those that do the work share a second lock: a session that goes
-- on with a statement though its client was killed still has it.

-- name: claim
DECLARE @sledge_answer int;
EXECUTE @sledge_answer = sp_getapplock @Resource = 'sledge.build', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0;
SELECT CASE WHEN @sledge_answer >= 0 THEN 1 ELSE 0 END AS claimed

-- A login that may not see the sessions of others sees no holder, nor does one on a server without
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

-- Who works for a build that holds no claim any more, and the statement that ends it.
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
