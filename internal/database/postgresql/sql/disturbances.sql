-- Activity outside a run that slows it: its name, whether it counts only if it exists both when the
-- measured time begins and when it ends, and a description. A user without the rights of a monitor
-- sees everything but the names.
SELECT 'transaction ' || l.virtualtransaction AS id, 1 AS lasting,
  'process ' || l.pid || COALESCE(' (' || NULLIF(a.application_name, '') || ')', '')
  || ' had one transaction open all the time, which keeps old versions of rows' AS words
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.pid <> pg_backend_pid()
  AND a.datname = current_database() AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_vacuum v WHERE v.pid = l.pid)
UNION ALL
SELECT 'prepared ' || gid, 1, 'the prepared transaction ' || gid || ' was there all the time, which keeps old versions of rows'
FROM pg_prepared_xacts WHERE database = current_database()
UNION ALL
SELECT 'slot ' || slot_name, 0, 'the replication slot ' || slot_name || ' keeps old versions of rows of ' || age(xmin) || ' transactions'
FROM pg_replication_slots WHERE xmin IS NOT NULL AND age(xmin) > 100000
UNION ALL
SELECT 'vacuum ' || pid, 0, 'a vacuum was at work' || COALESCE(' on ' || relid::regclass::text, '')
FROM pg_stat_progress_vacuum WHERE datname = current_database()
UNION ALL
-- Autovacuum tolerates a fifth of a table as dead rows. Small tables that are mostly updated, such
-- as district, have few, because the server prunes each page when it reads it, unless an old
-- transaction prevents that. After a crash, the server has lost its count of live rows, so it is 0.
SELECT 'rows ' || relname, 0, relname || ' had ' || to_char(n_dead_tup, 'FM999,999,999,999') || ' dead rows and ' || to_char(n_live_tup, 'FM999,999,999,999') || ' live ones'
FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND n_live_tup > 0 AND n_tup_upd >= n_tup_del
  AND (n_dead_tup >= 5000 AND n_dead_tup > 10 * n_live_tup OR n_dead_tup >= 100000 AND n_dead_tup > n_live_tup)
ORDER BY 1
