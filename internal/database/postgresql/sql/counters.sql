-- The server's own counters, by view: the object of a row or '', the counter, and its value. The names of
-- the columns come from the server, so that a counter of a newer version needs no new SQL; counters.txt
-- says what they mean.
-- name: sources
SELECT name FROM unnest(ARRAY['pg_stat_database', 'pg_stat_checkpointer', 'pg_stat_bgwriter', 'pg_stat_wal', 'pg_stat_io',
  'pg_stat_slru', 'pg_stat_user_tables', 'pg_statio_user_tables', 'pg_stat_user_indexes', 'pg_catalog']) name
WHERE name = 'pg_catalog' OR to_regclass('pg_catalog.' || name) IS NOT NULL

-- name: pg_stat_database
SELECT '' AS of, e.key, e.value FROM pg_stat_database d, jsonb_each_text(to_jsonb(d)) e WHERE d.datname = current_database()

-- name: pg_stat_checkpointer
SELECT '' AS of, e.key, e.value FROM pg_stat_checkpointer c, jsonb_each_text(to_jsonb(c)) e

-- name: pg_stat_bgwriter
SELECT '' AS of, e.key, e.value FROM pg_stat_bgwriter b, jsonb_each_text(to_jsonb(b)) e

-- name: pg_stat_wal
SELECT '' AS of, e.key, e.value FROM pg_stat_wal w, jsonb_each_text(to_jsonb(w)) e

-- Versions 16 and 17 count operations, all of the same size.
-- name: pg_stat_io
SELECT i.backend_type || ', ' || i.object || ', ' || i.context AS of, e.key, e.value
FROM pg_stat_io i, LATERAL (SELECT to_jsonb(i) AS row) j,
  LATERAL (SELECT (j.row ->> 'op_bytes')::numeric AS size) o,
  jsonb_each_text(j.row || CASE WHEN o.size IS NULL THEN '{}' ELSE jsonb_build_object('read_bytes', i.reads * o.size, 'write_bytes', i.writes * o.size, 'extend_bytes', i.extends * o.size) END) e
WHERE COALESCE(i.reads, 0) + COALESCE(i.writes, 0) + COALESCE(i.extends, 0) + COALESCE(i.hits, 0) + COALESCE(i.fsyncs, 0) > 0

-- name: pg_stat_slru
SELECT r.name AS of, e.key, e.value FROM pg_stat_slru r, jsonb_each_text(to_jsonb(r)) e

-- name: pg_stat_user_tables
SELECT t.relname AS of, e.key, e.value
FROM (SELECT * FROM pg_stat_user_tables WHERE COALESCE(seq_scan, 0) + COALESCE(idx_scan, 0) + n_tup_ins > 0 ORDER BY relid LIMIT 500) t, jsonb_each_text(to_jsonb(t)) e

-- name: pg_statio_user_tables
SELECT t.relname AS of, e.key, e.value
FROM (SELECT * FROM pg_statio_user_tables WHERE heap_blks_read + heap_blks_hit > 0 ORDER BY relid LIMIT 500) t, jsonb_each_text(to_jsonb(t)) e

-- name: pg_stat_user_indexes
SELECT x.indexrelname AS of, e.key, e.value
FROM (SELECT * FROM pg_stat_user_indexes WHERE idx_scan > 0 ORDER BY indexrelid LIMIT 500) x, jsonb_each_text(to_jsonb(x)) e

-- Functions. The position in the WAL counts what is written in versions and for users without pg_stat_wal.
-- name: pg_catalog
SELECT '' AS of, 'pg_database_size' AS name, pg_database_size(current_database())::text AS value
UNION ALL
SELECT '', 'pg_current_wal_insert_lsn', (CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') END)::text
