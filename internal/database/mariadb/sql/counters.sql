-- MariaDB shows in its status what MySQL shows in innodb_metrics.
-- name: sources
SELECT 'global_status' AS name UNION ALL SELECT 'innodb_tablespaces'

-- name: innodb_tablespaces
SELECT 'file_size', SUM(file_size) FROM information_schema.innodb_sys_tablespaces WHERE name LIKE CONCAT(REPLACE(DATABASE(), '_', '\_'), '/%')
