-- Activity outside a run that slows it: see the file of PostgreSQL. It requires the role
-- SELECT_CATALOG_ROLE. Oracle's Reference and its Backup and Recovery Reference describe the views.
-- No test has run it on a server.
SELECT 'transaction ' || t.xidusn || '.' || t.xidslot || '.' || t.xidsqn AS id, 1 AS lasting,
  'session ' || s.sid || NVL2(s.program, ' (' || s.program || ')', '') || ' had one transaction open all the time, which keeps its locks and old versions of rows' AS words
FROM v$transaction t JOIN v$session s ON s.saddr = t.ses_addr
UNION ALL
-- These include automated maintenance, such as the collection of statistics.
SELECT 'job ' || owner || '.' || job_name, 0, 'the job ' || owner || '.' || job_name || ' was at work'
FROM dba_scheduler_running_jobs
UNION ALL
SELECT DISTINCT 'backup ' || sid || ' ' || opname, 0, opname || ' was at work'
FROM v$session_longops WHERE opname LIKE 'RMAN%' AND totalwork > 0 AND sofar < totalwork
