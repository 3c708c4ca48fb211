-- name: version
SELECT SUBSTRING_INDEX(VERSION(), '-', 1)

-- What HammerDB's virtual users say of their connection: empty without TLS.
-- name: connection
SHOW SESSION STATUS LIKE 'Ssl_cipher'

-- name: settings
-- What the performance of these workloads depends on. No table that all versions
-- have tells which settings differ from their defaults.
SHOW GLOBAL VARIABLES WHERE variable_name IN (
  'autocommit', 'binlog_format', 'binlog_row_image', 'character_set_server', 'collation_server',
  'innodb_adaptive_hash_index', 'innodb_autoinc_lock_mode', 'innodb_buffer_pool_instances', 'innodb_buffer_pool_size',
  'innodb_change_buffering', 'innodb_checksum_algorithm', 'innodb_concurrency_tickets', 'innodb_deadlock_detect',
  'innodb_dedicated_server', 'innodb_doublewrite', 'innodb_file_per_table', 'innodb_flush_log_at_trx_commit', 'innodb_flush_method',
  'innodb_flush_neighbors', 'innodb_io_capacity', 'innodb_io_capacity_max', 'innodb_lock_wait_timeout', 'innodb_log_buffer_size',
  'innodb_log_file_size', 'innodb_log_files_in_group', 'innodb_lru_scan_depth', 'innodb_max_dirty_pages_pct',
  'innodb_max_purge_lag', 'innodb_numa_interleave', 'innodb_open_files', 'innodb_page_cleaners', 'innodb_page_size',
  'innodb_purge_batch_size', 'innodb_purge_threads', 'innodb_read_io_threads', 'innodb_redo_log_capacity',
  'innodb_rollback_on_timeout', 'innodb_snapshot_isolation', 'innodb_spin_wait_delay', 'innodb_stats_persistent',
  'innodb_sync_spin_loops', 'innodb_thread_concurrency', 'innodb_undo_tablespaces', 'innodb_use_native_aio', 'innodb_write_io_threads',
  'join_buffer_size', 'log_bin', 'long_query_time', 'max_connections', 'max_heap_table_size', 'open_files_limit',
  'optimizer_switch', 'performance_schema', 'query_cache_size', 'query_cache_type', 'slow_query_log', 'sort_buffer_size', 'sql_mode',
  'stored_program_cache', 'sync_binlog', 'table_definition_cache', 'table_open_cache', 'table_open_cache_instances',
  'thread_cache_size', 'thread_handling', 'thread_stack', 'tmp_table_size', 'transaction_isolation', 'tx_isolation',
  'version', 'version_comment', 'version_compile_machine')

-- What SHOW PROCESSLIST calls this session.
-- name: session
SELECT CONCAT('connection ', CONNECTION_ID())
