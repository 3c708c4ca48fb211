-- The counters that a run reads once a second: the name of the series, the line in its chart, the unit of
-- the growth in a second, and the value. They cost little: the statistics are in shared memory.
SELECT 'server''s WAL' AS series, '' AS of, 'MB/s' AS unit,
  (CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') / 1000000 END)::text AS value
UNION ALL
SELECT 'server''s blocks', v.of, '1/s', v.value::text
FROM pg_stat_database d, LATERAL (VALUES ('hit', d.blks_hit), ('read', d.blks_read)) AS v (of, value) WHERE d.datname = current_database()
UNION ALL
SELECT 'server''s rows', v.of, '1/s', v.value::text
FROM pg_stat_database d, LATERAL (VALUES ('inserted', d.tup_inserted), ('updated', d.tup_updated), ('deleted', d.tup_deleted)) AS v (of, value)
WHERE d.datname = current_database()
UNION ALL
SELECT 'server''s temporary files', '', 'MB/s', (d.temp_bytes / 1000000.0)::text FROM pg_stat_database d WHERE d.datname = current_database()
