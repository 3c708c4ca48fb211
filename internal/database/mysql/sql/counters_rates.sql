-- The counters that a run reads once a second: see the file of PostgreSQL. MySQL reads the first of the two
-- comments, MariaDB the second.
SELECT CASE LOWER(variable_name)
    WHEN 'innodb_os_log_written' THEN 'server''s redo log'
    WHEN 'innodb_row_lock_waits' THEN 'server''s waits for rows'
    WHEN 'innodb_data_reads' THEN 'server''s reads and flushes' WHEN 'innodb_data_fsyncs' THEN 'server''s reads and flushes'
    ELSE 'server''s rows' END AS series,
  CASE LOWER(variable_name)
    WHEN 'innodb_data_reads' THEN 'reads' WHEN 'innodb_data_fsyncs' THEN 'flushes'
    WHEN 'handler_write' THEN 'inserted' WHEN 'handler_update' THEN 'updated' WHEN 'handler_delete' THEN 'deleted'
    ELSE '' END AS part,
  IF(LOWER(variable_name) = 'innodb_os_log_written', 'MB/s', '1/s') AS unit,
  IF(LOWER(variable_name) = 'innodb_os_log_written', variable_value / 1000000, variable_value) AS value
FROM /*!50708 performance_schema */ /*M!100101 information_schema */.global_status
WHERE variable_name IN ('Innodb_os_log_written', 'Innodb_row_lock_waits', 'Innodb_data_reads', 'Innodb_data_fsyncs', 'Handler_write', 'Handler_update', 'Handler_delete')
