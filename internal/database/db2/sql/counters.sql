-- The server's own counters, by member: see the file of PostgreSQL. They need the right to execute the
-- functions. No test has run them on a server.
-- name: mon_get_database
SELECT RTRIM(CHAR(m.member)) AS part, v.name AS name, RTRIM(CHAR(v.value)) AS value
FROM TABLE(mon_get_database(-2)) AS m, TABLE(VALUES
  ('total_app_commits', m.total_app_commits), ('total_app_rollbacks', m.total_app_rollbacks), ('total_rqst_time', m.total_rqst_time),
  ('total_cpu_time', m.total_cpu_time), ('total_wait_time', m.total_wait_time), ('client_idle_wait_time', m.client_idle_wait_time),
  ('lock_wait_time', m.lock_wait_time), ('lock_waits', m.lock_waits), ('lock_timeouts', m.lock_timeouts), ('lock_escals', m.lock_escals), ('deadlocks', m.deadlocks),
  ('log_disk_wait_time', m.log_disk_wait_time), ('log_disk_waits_total', m.log_disk_waits_total), ('log_buffer_wait_time', m.log_buffer_wait_time),
  ('pool_read_time', m.pool_read_time), ('pool_write_time', m.pool_write_time), ('pool_data_l_reads', m.pool_data_l_reads), ('pool_data_p_reads', m.pool_data_p_reads),
  ('pool_index_l_reads', m.pool_index_l_reads), ('pool_index_p_reads', m.pool_index_p_reads), ('pool_data_writes', m.pool_data_writes), ('pool_index_writes', m.pool_index_writes),
  ('total_extended_latch_wait_time', m.total_extended_latch_wait_time), ('rows_read', m.rows_read), ('rows_returned', m.rows_returned), ('rows_modified', m.rows_modified),
  ('total_sorts', m.total_sorts), ('sort_overflows', m.sort_overflows), ('tcpip_send_volume', m.tcpip_send_volume), ('tcpip_recv_volume', m.tcpip_recv_volume)) AS v (name, value)
UNION ALL
SELECT '', 'uptime', RTRIM(CHAR((DAYS(CURRENT TIMESTAMP) - DAYS(m.db_conn_time)) * 86400 + MIDNIGHT_SECONDS(CURRENT TIMESTAMP) - MIDNIGHT_SECONDS(m.db_conn_time)))
FROM TABLE(mon_get_database(-1)) AS m

-- name: mon_get_transaction_log
SELECT RTRIM(CHAR(m.member)) AS part, v.name AS name, RTRIM(CHAR(v.value)) AS value
FROM TABLE(mon_get_transaction_log(-2)) AS m, TABLE(VALUES
  ('log_writes', m.log_writes), ('log_write_time', m.log_write_time), ('num_log_write_io', m.num_log_write_io), ('num_log_buffer_full', m.num_log_buffer_full),
  ('log_reads', m.log_reads)) AS v (name, value)
