-- The sessions that are not idle: see the file of PostgreSQL. A session in a routine has an activity for
-- each level: the lowest is its client's, the highest is the one that it executes. It requires the right
-- to execute the functions. No test has run it on a server.
WITH activities AS (
  SELECT a.application_handle, a.uow_id, a.activity_id, VARCHAR(a.stmt_text, 200) AS stmt_text, a.local_start_time,
    ROW_NUMBER() OVER (PARTITION BY a.application_handle ORDER BY a.nesting_level, a.local_start_time) AS lowest,
    ROW_NUMBER() OVER (PARTITION BY a.application_handle ORDER BY a.nesting_level DESC, a.local_start_time DESC) AS highest
  FROM TABLE(mon_get_activity(NULL, -2)) AS a
  WHERE a.member = a.coord_member AND a.application_handle <> mon_get_application_handle())
SELECT RTRIM(CHAR(i.application_handle)) AS id, '' AS background, COALESCE(c.application_name, '') AS program,
  CASE WHEN g.event_type IS NULL OR g.event_type = 'PROCESS' THEN '' ELSE g.event_type || '/' || g.event_object END AS wait,
  COALESCE(o.stmt_text, '') AS statement,
  (BIGINT(DAYS(CURRENT TIMESTAMP) - DAYS('1970-01-01')) * 86400 + MIDNIGHT_SECONDS(CURRENT TIMESTAMP)) * 1000000 + MICROSECOND(CURRENT TIMESTAMP) AS asked,
  (BIGINT(DAYS(CURRENT TIMESTAMP) - DAYS('1970-01-01')) * 86400 + MIDNIGHT_SECONDS(CURRENT TIMESTAMP)) * 1000000 + MICROSECOND(CURRENT TIMESTAMP) AS now,
  (BIGINT(DAYS(o.local_start_time) - DAYS('1970-01-01')) * 86400 + MIDNIGHT_SECONDS(o.local_start_time)) * 1000000 + MICROSECOND(o.local_start_time) AS since,
  CASE WHEN o.activity_id = i.activity_id AND o.uow_id = i.uow_id THEN '' ELSE COALESCE(i.stmt_text, '') END AS inner_statement
FROM activities AS i
JOIN activities AS o ON o.application_handle = i.application_handle AND o.lowest = 1
LEFT JOIN TABLE(mon_get_agent(NULL, NULL, NULL, -2)) AS g
  ON g.application_handle = i.application_handle AND g.uow_id = i.uow_id AND g.activity_id = i.activity_id AND g.agent_type = 'COORDINATOR'
LEFT JOIN TABLE(mon_get_connection(NULL, -2)) AS c ON c.application_handle = i.application_handle AND c.member = c.coord_member
WHERE i.highest = 1

-- name: coarse
SELECT 'Db2 does not tell which sessions read, write or wait for the log, so that they compute in these samples' FROM sysibm.sysdummy1

-- The sessions that wait for a lock.
-- name: locks
SELECT RTRIM(CHAR(w.req_application_handle)) AS id, RTRIM(CHAR(w.hld_application_handle)) AS blocker, COALESCE(c.application_name, '') AS program
FROM TABLE(mon_get_appl_lockwait(NULL, -2)) AS w
LEFT JOIN TABLE(mon_get_connection(NULL, -2)) AS c ON c.application_handle = w.hld_application_handle AND c.member = c.coord_member
WHERE w.hld_application_handle IS NOT NULL
