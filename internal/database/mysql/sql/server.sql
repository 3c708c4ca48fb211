-- name: version
SELECT SUBSTRING_INDEX(VERSION(), '-', 1)

-- MySQL's client can connect to MariaDB, and the reverse. Only MariaDB reads a comment that begins
-- with M.
-- name: product
SELECT IF(FALSE /*M! OR TRUE */, 'MariaDB', 'MySQL') AS product

-- What virtual users report about their connection: empty without TLS.
-- name: connection
SHOW SESSION STATUS LIKE 'Ssl_cipher'

-- name: settings
-- The settings on which the performance of these workloads depends. MariaDB can show which settings
-- differ from their defaults; MySQL has no such table in all versions.
SET @sledge_settings = IF(FALSE /*M! OR TRUE */,
  'SELECT LOWER(variable_name) AS name, global_value AS value FROM information_schema.system_variables
   WHERE global_value_origin <> ''COMPILE-TIME'' AND global_value <> default_value AND variable_name NOT LIKE ''%PASSWORD%''
   ORDER BY name',
  CONCAT('SHOW GLOBAL VARIABLES WHERE FIND_IN_SET(variable_name, ''',
    'autocommit,binlog_format,binlog_row_image,character_set_server,collation_server,innodb_adaptive_hash_index,',
    'innodb_autoinc_lock_mode,innodb_buffer_pool_instances,innodb_buffer_pool_size,innodb_change_buffering,',
    'innodb_checksum_algorithm,innodb_concurrency_tickets,innodb_deadlock_detect,innodb_dedicated_server,',
    'innodb_doublewrite,innodb_file_per_table,innodb_flush_log_at_trx_commit,innodb_flush_method,',
    'innodb_flush_neighbors,innodb_io_capacity,innodb_io_capacity_max,innodb_lock_wait_timeout,',
    'innodb_log_buffer_size,innodb_log_file_size,innodb_log_files_in_group,innodb_lru_scan_depth,',
    'innodb_max_dirty_pages_pct,innodb_max_purge_lag,innodb_numa_interleave,innodb_open_files,',
    'innodb_page_cleaners,innodb_page_size,innodb_purge_batch_size,innodb_purge_threads,innodb_read_io_threads,',
    'innodb_redo_log_capacity,innodb_rollback_on_timeout,innodb_snapshot_isolation,innodb_spin_wait_delay,',
    'innodb_stats_persistent,innodb_sync_spin_loops,innodb_thread_concurrency,innodb_undo_tablespaces,',
    'innodb_use_native_aio,innodb_write_io_threads,join_buffer_size,log_bin,long_query_time,max_connections,',
    'max_heap_table_size,open_files_limit,optimizer_switch,performance_schema,query_cache_size,query_cache_type,',
    'slow_query_log,sort_buffer_size,sql_mode,stored_program_cache,sync_binlog,table_definition_cache,',
    'table_open_cache,table_open_cache_instances,thread_cache_size,thread_handling,thread_stack,tmp_table_size,',
    'transaction_isolation,tx_isolation,version,version_comment,version_compile_machine',
    ''')'));
PREPARE sledge_settings FROM @sledge_settings;
EXECUTE sledge_settings

-- Where settings were set that are not defaults, since 8.0. Settings of this session alone are left out.
-- name: setting_sources
SELECT i.variable_name AS name, LOWER(i.variable_source) AS source
FROM performance_schema.variables_info i
JOIN performance_schema.global_variables g ON g.variable_name = i.variable_name
JOIN performance_schema.session_variables v ON v.variable_name = i.variable_name
WHERE i.variable_source <> 'COMPILED' AND (i.variable_source <> 'DYNAMIC' OR g.variable_value = v.variable_value)

-- The name of this session in SHOW PROCESSLIST.
-- name: session
SELECT CONCAT('connection ', CONNECTION_ID())

-- Only MariaDB reads a comment that begins with M, and it ignores a comment for MySQL 5.7.
-- name: steady
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET SESSION lock_wait_timeout = 31536000 /*M!100101 , max_statement_time = 0 */ /*!50708 , max_execution_time = 0 */
