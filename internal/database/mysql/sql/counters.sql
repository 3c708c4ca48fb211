-- The server's own counters: see the file of PostgreSQL.
-- name: global_status
SHOW GLOBAL STATUS

-- What MySQL does not show in its status. It needs the privilege PROCESS.
-- name: innodb_metrics
SELECT name, count FROM information_schema.innodb_metrics
WHERE status = 'enabled' AND name IN ('trx_rseg_history_len', 'lock_deadlocks', 'log_lsn_checkpoint_age', 'log_max_modified_age_async')

-- name: innodb_tablespaces
SELECT 'file_size', SUM(file_size) FROM information_schema.innodb_tablespaces WHERE name LIKE CONCAT(REPLACE(DATABASE(), '_', '\_'), '/%')
