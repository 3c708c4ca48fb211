-- Activity outside a run that slows it: see the file of PostgreSQL. It requires the privilege
-- PROCESS.
SELECT 'history', 0, CONCAT('the history of InnoDB had ', `COUNT`, ' transactions that were not purged')
FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len' AND `COUNT` >= 200000
UNION ALL
-- Transactions that only read may have the same id as an earlier transaction of the same
-- connection.
SELECT CONCAT('transaction ', trx_id, ' ', trx_mysql_thread_id, ' ', trx_started), 1,
  CONCAT('connection ', trx_mysql_thread_id, ' had one transaction open all the time, which keeps old versions of rows')
FROM information_schema.innodb_trx
