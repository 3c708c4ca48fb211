-- Activity outside a run that slows it: see the file of PostgreSQL. It requires the right to
-- execute the two functions. No test has run it on a server.
SELECT 'transaction ' || RTRIM(CHAR(u.application_handle)) || ' ' || RTRIM(CHAR(u.uow_id)) AS id, 1 AS lasting,
  'application ' || RTRIM(CHAR(u.application_handle)) || COALESCE(' (' || u.application_name || ')', '')
  || ' had one transaction open all the time, which keeps its locks and the log' AS words
FROM TABLE(mon_get_unit_of_work(NULL, -2)) AS u
WHERE u.member = u.coord_member AND u.uow_log_space_used > 0 AND u.application_handle <> mon_get_application_handle()
UNION ALL
-- Backups, loads, reorganisations and statistics, including those of automatic maintenance.
SELECT DISTINCT 'utility ' || RTRIM(CHAR(t.application_handle)) || ' ' || t.utility_type, 0,
  'the utility ' || t.utility_type || ' was at work' || COALESCE(' on ' || t.object_name, '')
FROM TABLE(mon_get_utility(-2)) AS t
