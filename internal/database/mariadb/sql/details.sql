-- What is different from MySQL: see its file. The lists of locks require the privilege PROCESS.
-- name: lock_waits
SELECT t.trx_mysql_thread_id, CONCAT('row of ', REPLACE(l.lock_table, '`', ''), ', index ', l.lock_index),
  CAST(1000000 * UNIX_TIMESTAMP(t.trx_wait_started) AS UNSIGNED)
FROM information_schema.INNODB_TRX t JOIN information_schema.INNODB_LOCKS l ON l.lock_id = t.trx_requested_lock_id
WHERE t.trx_state = 'LOCK WAIT'
