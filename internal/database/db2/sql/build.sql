-- A build finds other builds in the same schema by a lock. Db2 can only lock tables and rows, so a
-- build locks a table made for this purpose, in a transaction that changes nothing and ends with
-- its connection, for any reason. The table exists while a build or a deletion is running.

-- The last statement runs in the transaction. CREATE TABLE may fail because the table exists.
-- name: claim
SET CURRENT LOCK TIMEOUT NOT WAIT
/
CREATE TABLE sledge_claim (held_by_a_lock SMALLINT NOT NULL)
/
LOCK TABLE sledge_claim IN EXCLUSIVE MODE

-- name: holder
SELECT 'application ' || VARCHAR(c.application_handle) || ' of user ' || RTRIM(c.session_auth_id) || COALESCE(' from ' || c.client_hostname, '')
FROM TABLE(mon_get_locks(CAST(NULL AS CLOB(1K)), -2)) AS l
JOIN syscat.tables t ON t.tbspaceid = l.tbsp_id AND t.tableid = l.tab_file_id
JOIN TABLE(mon_get_connection(CAST(NULL AS BIGINT), -2)) AS c ON c.application_handle = l.application_handle
WHERE t.tabschema = CURRENT SCHEMA AND t.tabname = 'SLEDGE_CLAIM' AND l.lock_mode = 'X'

-- Marks a session that does the work, for mon_get_connection.
-- name: work
CALL SYSPROC.WLM_SET_CLIENT_INFO(NULL, NULL, 'sledge build', NULL, NULL)

-- The sessions that still work for a build that no longer holds a claim, and the statements that
-- end them.
-- name: orphans
SELECT 'application ' || VARCHAR(application_handle), 'CALL SYSPROC.ADMIN_CMD(''FORCE APPLICATION (' || VARCHAR(application_handle) || ')'')'
FROM TABLE(mon_get_connection(CAST(NULL AS BIGINT), -2)) AS c
WHERE client_applname = 'sledge build' AND session_auth_id = SESSION_USER AND application_handle <> mon_get_application_handle()
GROUP BY application_handle
