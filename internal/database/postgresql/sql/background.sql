-- Work of the server's own that slows a run: its ID, the texts for its beginning and its end, its name, and
-- the seconds since it began, if that is known. A checkpoint is known only when it has ended, so its ID is new
-- then: it is the redo position. Of other users' vacuums, a user without the rights of a monitor sees no table.
SELECT 'checkpoint ' || redo_lsn AS id,
  'A checkpoint ended, ' || round(extract(epoch FROM clock_timestamp() - checkpoint_time)) || ' s after it began' AS began,
  '' AS ended, 'checkpoint' AS name, extract(epoch FROM clock_timestamp() - checkpoint_time)::text AS age
FROM pg_control_checkpoint()
UNION ALL
SELECT 'vacuum ' || pid || ' ' || relid, 'A vacuum works on ' || relid::regclass, 'The vacuum of ' || relid::regclass || ' ended',
  'vacuum of ' || relid::regclass, ''
FROM pg_stat_progress_vacuum WHERE datname = current_database() AND relid IS NOT NULL
UNION ALL
SELECT 'analyze ' || pid || ' ' || relid, 'An analyze works on ' || relid::regclass, 'The analyze of ' || relid::regclass || ' ended',
  'analyze of ' || relid::regclass, ''
FROM pg_stat_progress_analyze WHERE datname = current_database() AND relid IS NOT NULL
