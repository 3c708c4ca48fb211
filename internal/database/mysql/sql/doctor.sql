-- What the checks of this database read: names and values.
--
-- name: settings
SHOW GLOBAL VARIABLES

-- name: status
SHOW GLOBAL STATUS

-- Paths that are not absolute are below the data folder.
-- name: place
SELECT 'memory' AS name, @@global.innodb_buffer_pool_size AS value
UNION ALL SELECT 'each', @@global.sort_buffer_size + @@global.join_buffer_size + @@global.read_rnd_buffer_size
UNION ALL SELECT 'connections', @@global.max_connections
UNION ALL SELECT 'pid_file', IF(LEFT(@@global.pid_file, 1) = '/', @@global.pid_file, CONCAT(@@global.datadir, @@global.pid_file))

-- name: paths
SELECT 'data' AS name, TRIM(TRAILING '/' FROM @@global.datadir) AS value
UNION ALL SELECT 'log', IF(LEFT(@@global.innodb_log_group_home_dir, 1) = '/',
  TRIM(TRAILING '/' FROM @@global.innodb_log_group_home_dir), TRIM(TRAILING '/' FROM @@global.datadir))

-- It requires the privilege PROCESS.
-- name: history
SELECT 'length' AS name, `COUNT` AS value FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'

-- name: schema
SELECT 'size' AS name, COALESCE(SUM(data_length + index_length), 0) AS value FROM information_schema.tables WHERE table_schema = DATABASE()
UNION ALL SELECT 'tables', COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()
