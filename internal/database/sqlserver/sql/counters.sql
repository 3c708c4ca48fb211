-- The server's own counters: see the file of PostgreSQL. Names have _ in place of spaces. They need the
-- permission VIEW SERVER STATE. No test has run them on a server.
-- name: dm_os_performance_counters
IF OBJECT_ID('sys.dm_os_performance_counters') IS NULL OR OBJECT_ID('sys.dm_os_sys_info') IS NULL
  RAISERROR ('this server has no such view', 16, 1)
ELSE
  SELECT REPLACE(RTRIM(counter_name), ' ', '_') AS name, CAST(cntr_value AS varchar(30)) AS value
  FROM sys.dm_os_performance_counters
  WHERE (instance_name IN ('', '_Total') AND (object_name LIKE '%:SQL Statistics%' OR object_name LIKE '%:Buffer Manager%' OR object_name LIKE '%:Locks%'
      OR object_name LIKE '%:Access Methods%' OR object_name LIKE '%:General Statistics%'))
    OR (instance_name = DB_NAME() AND object_name LIKE '%:Databases%')
  UNION ALL
  SELECT 'uptime', CAST(DATEDIFF(second, sqlserver_start_time, SYSDATETIME()) AS varchar(30)) FROM sys.dm_os_sys_info

-- name: dm_io_virtual_file_stats
IF OBJECT_ID('sys.dm_io_virtual_file_stats') IS NULL OR OBJECT_ID('sys.dm_os_sys_info') IS NULL
  RAISERROR ('this server has no such view', 16, 1)
ELSE
  SELECT d.name AS part, v.name AS name, CAST(v.value AS varchar(30)) AS value
  FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) f JOIN sys.database_files d ON d.file_id = f.file_id
  CROSS APPLY (VALUES ('num_of_reads', f.num_of_reads), ('num_of_bytes_read', f.num_of_bytes_read), ('io_stall_read_ms', f.io_stall_read_ms),
    ('num_of_writes', f.num_of_writes), ('num_of_bytes_written', f.num_of_bytes_written), ('io_stall_write_ms', f.io_stall_write_ms),
    ('size_on_disk_bytes', f.size_on_disk_bytes)) v (name, value)
  UNION ALL
  SELECT '', 'uptime', CAST(DATEDIFF(second, sqlserver_start_time, SYSDATETIME()) AS varchar(30)) FROM sys.dm_os_sys_info

-- Waits of all sessions, without those for work. A reset makes them go back.
-- name: dm_os_wait_stats
IF OBJECT_ID('sys.dm_os_wait_stats') IS NULL
  RAISERROR ('this server has no such view', 16, 1)
ELSE
  SELECT w.wait_type AS part, v.name AS name, CAST(v.value AS varchar(30)) AS value
  FROM sys.dm_os_wait_stats w
  CROSS APPLY (VALUES ('waiting_tasks_count', w.waiting_tasks_count), ('wait_time_ms', w.wait_time_ms), ('signal_wait_time_ms', w.signal_wait_time_ms)) v (name, value)
  WHERE w.waiting_tasks_count > 0 AND (w.wait_type IN ('WRITELOG', 'LOGBUFFER', 'SOS_SCHEDULER_YIELD', 'THREADPOOL', 'ASYNC_NETWORK_IO', 'IO_COMPLETION', 'HADR_SYNC_COMMIT', 'CXPACKET')
    OR w.wait_type LIKE 'LCK[_]M[_]%' OR w.wait_type LIKE 'PAGEIOLATCH[_]%' OR w.wait_type LIKE 'PAGELATCH[_]%' OR w.wait_type LIKE 'LATCH[_]%' OR w.wait_type LIKE 'RESOURCE_SEMAPHORE%')
