-- Activity outside a run that slows it: see the file of PostgreSQL. It requires the permission VIEW
-- SERVER STATE, or VIEW SERVER PERFORMANCE STATE since SQL Server 2022. Babelfish lacks some of the
-- views. Tests have run it on no other server.
IF OBJECT_ID('sys.dm_tran_database_transactions') IS NULL OR OBJECT_ID('sys.dm_tran_session_transactions') IS NULL
  OR OBJECT_ID('sys.dm_exec_requests') IS NULL OR OBJECT_ID('sys.dm_os_performance_counters') IS NULL
  RAISERROR ('this server does not show its transactions', 16, 1)
ELSE
  SELECT CONCAT('transaction ', d.transaction_id) AS id, 1 AS lasting,
    CONCAT('session ', s.session_id, ' had one transaction open all the time, which keeps its locks, the log and old versions of rows') AS words
  FROM sys.dm_tran_database_transactions d JOIN sys.dm_tran_session_transactions s ON s.transaction_id = d.transaction_id
  WHERE d.database_id = DB_ID() AND s.is_user_transaction = 1 AND s.session_id <> @@SPID
  UNION ALL
  SELECT CONCAT('request ', r.session_id, ' ', r.start_time), 0, CONCAT('session ', r.session_id, ' was at work on ', r.command)
  FROM sys.dm_exec_requests r
  WHERE r.session_id <> @@SPID AND (r.percent_complete > 0 OR r.command LIKE 'BACKUP%' OR r.command LIKE 'DBCC%')
  UNION ALL
  SELECT 'versions', 0, CONCAT('tempdb held ', cntr_value / 1024, ' MB of old versions of rows')
  FROM sys.dm_os_performance_counters WHERE counter_name = 'Version Store Size (KB)' AND cntr_value >= 1048576
