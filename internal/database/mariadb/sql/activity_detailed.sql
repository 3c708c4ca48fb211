-- MariaDB has no data_lock_waits: see activity.sql.
-- name: locks
SELECT r.trx_mysql_thread_id AS id, b.trx_mysql_thread_id AS blocker, COALESCE(p.USER, '') AS program
FROM information_schema.INNODB_LOCK_WAITS w
JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id
JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id
LEFT JOIN information_schema.PROCESSLIST p ON p.ID = b.trx_mysql_thread_id
