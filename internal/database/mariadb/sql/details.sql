-- What is different from MySQL: see its file. The lists of locks require the privilege PROCESS.
-- name: lock_waits
SELECT waiter.trx_mysql_thread_id, holder.trx_mysql_thread_id, CONCAT('row of ', REPLACE(l.lock_table, '`', ''), ', index ', l.lock_index),
  CAST(1000000 * UNIX_TIMESTAMP(waiter.trx_wait_started) AS UNSIGNED)
FROM information_schema.INNODB_LOCK_WAITS w
JOIN information_schema.INNODB_TRX waiter ON waiter.trx_id = w.requesting_trx_id
JOIN information_schema.INNODB_TRX holder ON holder.trx_id = w.blocking_trx_id
LEFT JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.requested_lock_id
