-- Batches of all clients of the server: each call of a procedure is one, and so is each statement
-- that is sent by itself. The view is empty if Windows could not load the counters, and Babelfish
-- does not have it.
IF OBJECT_ID('sys.dm_os_performance_counters') IS NOT NULL
  SELECT CAST(SUM(cntr_value) AS bigint) AS batches FROM sys.dm_os_performance_counters WHERE counter_name = 'Batch Requests/sec' HAVING COUNT(*) > 0
