-- Work of the server's own that slows a run: its ID, and the texts for its beginning and its end. A
-- checkpoint is known only when it has ended, so its ID is new then: it is the redo position.
SELECT 'checkpoint ' || redo_lsn AS id,
  'A checkpoint ended, ' || round(extract(epoch FROM clock_timestamp() - checkpoint_time)) || ' s after it began' AS began,
  '' AS ended
FROM pg_control_checkpoint()
UNION ALL
SELECT 'vacuum ' || pid || ' ' || relid, 'A vacuum works on ' || relid::regclass, 'The vacuum of ' || relid::regclass || ' ended'
FROM pg_stat_progress_vacuum WHERE datname = current_database()
UNION ALL
SELECT 'analyze ' || pid || ' ' || relid, 'An analyze works on ' || relid::regclass, 'The analyze of ' || relid::regclass || ' ended'
FROM pg_stat_progress_analyze WHERE datname = current_database()
