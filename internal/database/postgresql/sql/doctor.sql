-- What the checks of this database read: names and values. A section that the user may not read leaves
-- only its own checks out.
--
-- name: settings
-- Memory is in bytes, and times are in seconds. A value of -1 has no unit.
SELECT name, CASE
  WHEN setting = '-1' THEN setting
  WHEN unit = 'B' THEN setting
  WHEN unit = 'kB' THEN (setting::numeric * 1024)::text
  WHEN unit = '8kB' THEN (setting::numeric * 8192)::text
  WHEN unit = 'MB' THEN (setting::numeric * 1048576)::text
  WHEN unit = 'ms' THEN trim_scale(setting::numeric / 1000)::text
  WHEN unit = 'min' THEN (setting::numeric * 60)::text
  ELSE setting END AS value
FROM pg_settings

-- name: place
SELECT 'memory' AS name, (setting::numeric * 8192)::text AS value FROM pg_settings WHERE name = 'shared_buffers'
UNION ALL SELECT 'each', (setting::numeric * 1024)::text FROM pg_settings WHERE name = 'work_mem'
UNION ALL SELECT 'pid', pg_backend_pid()::text

-- Without the rights of pg_read_all_settings, the server shows no row.
-- name: paths
SELECT n.name, s.setting || n.below AS value
FROM pg_settings AS s, (VALUES ('data', ''), ('log', '/pg_wal')) AS n (name, below) WHERE s.name = 'data_directory'

-- name: state
SELECT 'inactive slots' AS name, count(*)::text AS value FROM pg_replication_slots WHERE NOT active
UNION ALL SELECT 'prepared', count(*)::text FROM pg_prepared_xacts
UNION ALL SELECT 'standbys', count(*)::text FROM pg_stat_replication
UNION ALL SELECT 'horizon', COALESCE(max(age), 0)::text FROM (
  SELECT age(backend_xmin) AS age FROM pg_stat_activity WHERE pid <> pg_backend_pid()
  UNION ALL SELECT age(xmin) FROM pg_replication_slots
  UNION ALL SELECT age(transaction) FROM pg_prepared_xacts) AS held

-- The table that no vacuum and no analyze has seen is one whose number of rows is unknown (from
-- PostgreSQL 14 on).
-- name: schema
SELECT 'tables' AS name, count(*)::text AS value FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
UNION ALL SELECT 'unanalyzed', count(*)::text FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND reltuples < 0 AND pg_relation_size(oid) > 0
UNION ALL SELECT 'size', pg_database_size(current_database())::text
