-- The server's own statistics of statements. What to do if there are none, or ''.
-- name: lacking
SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_stat_statements') THEN ''
  ELSE 'the extension pg_stat_statements is not in this database. Add it to shared_preload_libraries, restart the server, and execute CREATE EXTENSION pg_stat_statements in database ' || current_database() END

-- What to do if statements of other users are hidden, or ''.
-- name: hidden
SELECT COALESCE(
  'The server hides ' || sum(calls) || ' calls of other users from ' || current_user || '. To capture them, too: GRANT pg_read_all_stats TO ' || quote_ident(current_user),
  '')
FROM pg_stat_statements(false)
WHERE queryid IS NULL AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())

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

-- The ID, the whole text, why it cannot be explained, or '', and the section that explains it. A row with the ID ''
-- has the reason for statements without a row. Servers before 16 do not know GENERIC_PLAN.
-- name: examples
SELECT queryid::text AS id, left(min(query), 65536) AS statement,
  CASE WHEN length(min(query)) > 65536 THEN 'its text is longer than 64 KiB' ELSE '' END AS why,
  CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'explain' ELSE 'explain_prepared' END AS how
FROM pg_stat_statements
WHERE queryid IN (:ids) AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
GROUP BY queryid

-- All in one message, so that a connection pooler passes it to one session. The plan is that for any values. A
-- function that the server executes to plan, because it is immutable, cannot write.
-- name: explain
BEGIN READ ONLY; SET LOCAL statement_timeout = 1000; SET LOCAL lock_timeout = 200;
EXPLAIN (GENERIC_PLAN) :query
; COMMIT

-- The same with NULLs, on which a generic plan does not depend, except that they would leave out partitions. An
-- error leaves a prepared statement behind.
-- name: explain_prepared
BEGIN READ ONLY; SET LOCAL statement_timeout = 1000; SET LOCAL lock_timeout = 200;
SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_partition_pruning = off;
DO $$ BEGIN IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'sledge_statement') THEN DEALLOCATE sledge_statement; END IF; END $$;
PREPARE sledge_statement AS :query
; EXPLAIN EXECUTE sledge_statement:nulls; DEALLOCATE sledge_statement; COMMIT

-- The columns of tables of users: the table, the column, its type, whether a unique index has this column alone, and
-- the estimated rows of the table.
-- name: columns
SELECT CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname || '.' END || c.relname AS table_name, a.attname AS column_name,
  format_type(a.atttypid, a.atttypmod) AS type,
  CASE WHEN EXISTS (
    SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL AND i.indkey::text = a.attnum::text
  ) THEN 'yes' ELSE '' END AS is_unique,
  c.reltuples AS estimate
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
ORDER BY c.oid, a.attnum

-- Of some rows of a table: how many, how many have a value in a column, and how many different values.
-- name: sample
BEGIN READ ONLY; SET LOCAL statement_timeout = 1000; SET LOCAL lock_timeout = 200;
SELECT COUNT(*) AS number_of_rows, COUNT(:column) AS filled, COUNT(DISTINCT :column) AS number_of_values
FROM (SELECT :column FROM :table LIMIT 10000) sledge_sample; COMMIT

-- name: range
BEGIN READ ONLY; SET LOCAL statement_timeout = 1000; SET LOCAL lock_timeout = 200;
SELECT MIN(:column) AS sledge_least, MAX(:column) AS sledge_greatest FROM :table; COMMIT

-- The types of a statement's parameters. Preparing takes locks that only ALTER TABLE waits for.
-- name: parameters
BEGIN READ ONLY; SET LOCAL statement_timeout = 1000; SET LOCAL lock_timeout = 200;
DO $$ BEGIN IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'sledge_statement') THEN DEALLOCATE sledge_statement; END IF; END $$;
PREPARE sledge_statement AS :query
; SELECT t.type::text AS type
FROM pg_prepared_statements p, unnest(p.parameter_types) WITH ORDINALITY AS t (type, place)
WHERE p.name = 'sledge_statement'
ORDER BY t.place; DEALLOCATE sledge_statement; COMMIT
