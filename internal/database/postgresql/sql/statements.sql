-- The server's own statistics of statements. What to do if there are none, or ''.
-- name: lacking
SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_stat_statements') THEN ''
  ELSE 'the extension pg_stat_statements is not in this database. Add it to shared_preload_libraries, restart the server, and execute CREATE EXTENSION pg_stat_statements in database ' || current_database() END

-- The ID, the calls, their time in ms, the rows, and any other counters under their own names. Other users'
-- statements have no ID for a user without the rights of a monitor.
-- name: counts
SELECT queryid::text AS id, sum(calls) AS calls, sum(total_exec_time) AS ms, sum(rows) AS rows,
  sum(shared_blks_hit) AS shared_blks_hit, sum(shared_blks_read) AS shared_blks_read, sum(shared_blks_dirtied) AS shared_blks_dirtied,
  sum(shared_blks_written) AS shared_blks_written, sum(temp_blks_written) AS temp_blks_written,
  sum(wal_records) AS wal_records, sum(wal_fpi) AS wal_fpi, sum(wal_bytes) AS wal_bytes
FROM pg_stat_statements(false)
WHERE queryid IS NOT NULL AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
GROUP BY queryid

-- name: texts
SELECT queryid::text AS id, min(left(query, 1000)) AS statement
FROM pg_stat_statements
WHERE queryid IN (:ids) AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
GROUP BY queryid
