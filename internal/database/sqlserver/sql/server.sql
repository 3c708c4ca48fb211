-- Babelfish has its own version, besides the version of SQL Server that it emulates.
-- name: version
SELECT COALESCE(CAST(SERVERPROPERTY('babelfishversion') AS varchar(30)), CAST(SERVERPROPERTY('productversion') AS varchar(30))) AS version

-- Babelfish names itself in the first line.
-- name: product
SELECT CASE WHEN @@VERSION LIKE 'Babelfish%' THEN 'Babelfish' WHEN CAST(SERVERPROPERTY('EngineEdition') AS int) IN (5, 6, 8, 11, 12) THEN 'Azure SQL' ELSE 'SQL Server' END AS product

-- name: session
SELECT CONCAT('session ', @@SPID) AS session

-- The settings on which the performance of these workloads depends: isolation and durability of the
-- database, and settings of the server. The result omits settings that the login may not see or the
-- server does not have. The conditions are for Babelfish, whose TRY does not catch a missing view.
-- name: settings
DECLARE @sledge_settings TABLE (name varchar(128), value varchar(400));
INSERT INTO @sledge_settings (name, value)
SELECT 'edition', CAST(SERVERPROPERTY('Edition') AS varchar(400));
INSERT INTO @sledge_settings (name, value)
SELECT 'collation', CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS varchar(400));
BEGIN TRY
  INSERT INTO @sledge_settings (name, value)
  EXECUTE ('SELECT v.name, v.value FROM sys.databases d CROSS APPLY (VALUES
    (''compatibility_level'', CAST(d.compatibility_level AS varchar(400))), (''recovery_model'', d.recovery_model_desc),
    (''read_committed_snapshot'', CASE d.is_read_committed_snapshot_on WHEN 1 THEN ''ON'' ELSE ''OFF'' END),
    (''snapshot_isolation'', d.snapshot_isolation_state_desc), (''page_verify'', d.page_verify_option_desc),
    (''auto_create_statistics'', CASE d.is_auto_create_stats_on WHEN 1 THEN ''ON'' ELSE ''OFF'' END),
    (''auto_update_statistics'', CASE d.is_auto_update_stats_on WHEN 1 THEN ''ON'' ELSE ''OFF'' END),
    (''parameterization'', CASE d.is_parameterization_forced WHEN 1 THEN ''FORCED'' ELSE ''SIMPLE'' END)) v (name, value)
    WHERE d.database_id = DB_ID()');
END TRY
BEGIN CATCH
  PRINT ERROR_MESSAGE()
END CATCH;
BEGIN TRY
  INSERT INTO @sledge_settings (name, value)
  EXECUTE ('SELECT v.name, v.value FROM sys.databases d CROSS APPLY (VALUES
    (''delayed_durability'', d.delayed_durability_desc),
    (''memory_optimized_elevate_to_snapshot'', CASE d.is_memory_optimized_elevate_to_snapshot_on WHEN 1 THEN ''ON'' ELSE ''OFF'' END),
    (''memory_optimized_tables_without_data'', CAST((SELECT COUNT(*) FROM sys.tables t WHERE t.is_memory_optimized = 1 AND t.durability = 1) AS varchar(400)))) v (name, value)
    WHERE d.database_id = DB_ID()');
END TRY
BEGIN CATCH
  PRINT ERROR_MESSAGE()
END CATCH;
IF OBJECT_ID('sys.configurations') IS NOT NULL
BEGIN TRY
  INSERT INTO @sledge_settings (name, value)
  EXECUTE ('SELECT LOWER(REPLACE(name, '' '', ''_'')), CAST(value_in_use AS varchar(400)) FROM sys.configurations
    WHERE name IN (''max degree of parallelism'', ''cost threshold for parallelism'', ''max server memory (MB)'', ''min server memory (MB)'', ''max worker threads'',
      ''optimize for ad hoc workloads'', ''lightweight pooling'', ''priority boost'', ''affinity mask'', ''recovery interval (min)'', ''network packet size (B)'',
      ''user connections'', ''locks'', ''fill factor (%)'')');
END TRY
BEGIN CATCH
  PRINT ERROR_MESSAGE()
END CATCH;
IF OBJECT_ID('sys.dm_os_sys_info') IS NOT NULL
BEGIN TRY
  INSERT INTO @sledge_settings (name, value)
  EXECUTE ('SELECT ''cpu_count'', CAST(cpu_count AS varchar(400)) FROM sys.dm_os_sys_info UNION ALL
    SELECT ''physical_memory_kb'', CAST(physical_memory_kb AS varchar(400)) FROM sys.dm_os_sys_info');
END TRY
BEGIN CATCH
  PRINT ERROR_MESSAGE()
END CATCH;
-- Babelfish uses PostgreSQL's settings for commits and memory.
IF @@VERSION LIKE 'Babelfish%'
BEGIN TRY
  INSERT INTO @sledge_settings (name, value)
  EXECUTE ('SELECT name, CAST(current_setting(name) AS varchar(400)) FROM pg_settings
    WHERE name IN (''autovacuum'', ''checkpoint_timeout'', ''effective_cache_size'', ''fsync'', ''full_page_writes'', ''max_connections'', ''max_wal_size'',
      ''random_page_cost'', ''server_version'', ''shared_buffers'', ''synchronous_commit'', ''wal_level'', ''work_mem'')');
END TRY
BEGIN CATCH
  PRINT ERROR_MESSAGE()
END CATCH;
SELECT name, value FROM @sledge_settings WHERE value IS NOT NULL ORDER BY name

-- What virtual users report about their connection, if the login may see it.
-- name: connection
IF OBJECT_ID('sys.dm_exec_connections') IS NULL
  SELECT 'encrypted: unknown' AS connection WHERE 1 = 0
ELSE
BEGIN TRY
  EXECUTE ('SELECT CONCAT(''encrypted: '', LOWER(encrypt_option), '', '', net_transport, '', '', auth_scheme) AS connection FROM sys.dm_exec_connections WHERE session_id = @@SPID')
END TRY
BEGIN CATCH
  SELECT 'encrypted: unknown' AS connection WHERE 1 = 0
END CATCH
