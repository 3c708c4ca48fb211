-- By these a build knows of others in the same schema. Db2 has no locks but those on tables and
-- rows, so that builds lock a table of their own, in a transaction that changes nothing and ends with
-- its connection, however that ends. It is there while somebody builds or deletes.

-- The last of these is run in the transaction; what comes before it may find the table there.
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

-- What mon_get_connection shows of those that do the work.
-- name: work
CALL SYSPROC.WLM_SET_CLIENT_INFO(NULL, NULL, 'sledge build', NULL, NULL)

-- Who works for a build that holds no claim any more, and the statement that ends it.
-- name: orphans
SELECT 'application ' || VARCHAR(application_handle), 'CALL SYSPROC.ADMIN_CMD(''FORCE APPLICATION (' || VARCHAR(application_handle) || ')'')'
FROM TABLE(mon_get_connection(CAST(NULL AS BIGINT), -2)) AS c
WHERE client_applname = 'sledge build' AND session_auth_id = SESSION_USER AND application_handle <> mon_get_application_handle()
GROUP BY application_handle
