-- What sledge top shows of sessions beside activity.sql: see the file of PostgreSQL. It requires the right
-- to execute the functions, without which activity.sql fails first. No test has run it on a server.
-- name: lacking
SELECT '' AS lacking FROM sysibm.sysdummy1

-- name: count
SELECT COUNT(*) AS connected, (SELECT BIGINT(value) FROM sysibmadm.dbcfg WHERE name = 'maxappls' AND member = 0) AS most
FROM TABLE(mon_get_connection(NULL, -2)) AS c
WHERE c.member = c.coord_member

-- name: list
SELECT RTRIM(CHAR(u.application_handle)) AS id, COALESCE(u.session_auth_id, '') AS username, RTRIM(CURRENT SERVER) AS dbname,
  COALESCE(u.client_hostname, '') AS client, COALESCE(u.workload_occurrence_state, '') AS state,
  (BIGINT(DAYS(u.uow_start_time) - DAYS('1970-01-01')) * 86400 + MIDNIGHT_SECONDS(u.uow_start_time)) * 1000000 + MICROSECOND(u.uow_start_time) AS since,
  COALESCE(VARCHAR(a.stmt_text, 200), '') AS statement
FROM TABLE(mon_get_unit_of_work(NULL, -2)) AS u
LEFT JOIN TABLE(mon_get_activity(NULL, -2)) AS a
  ON a.application_handle = u.application_handle AND a.member = a.coord_member AND a.uow_id = u.uow_id AND a.nesting_level = 0
WHERE u.member = u.coord_member AND u.application_handle <> mon_get_application_handle()
  AND (a.activity_id IS NOT NULL OR u.application_handle IN (:ids))

-- name: lock_waits
SELECT RTRIM(CHAR(w.req_application_handle)) AS waiter, w.lock_object_type || ' ' || RTRIM(CHAR(w.tabname)) AS object,
  (BIGINT(DAYS(w.lock_wait_start_time) - DAYS('1970-01-01')) * 86400 + MIDNIGHT_SECONDS(w.lock_wait_start_time)) * 1000000
    + MICROSECOND(w.lock_wait_start_time) AS since
FROM TABLE(mon_get_appl_lockwait(NULL, -2)) AS w
