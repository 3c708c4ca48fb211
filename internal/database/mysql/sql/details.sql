-- What sledge top shows of sessions beside activity.sql. MariaDB has lock_waits of its own.
-- What a user without the privilege PROCESS can do to see the sessions of all users, or ''. A role may give
-- the privilege.
-- name: lacking
SELECT IF(EXISTS (SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE = 'PROCESS'), '',
  CONCAT('sessions of other users may be hidden. As an administrator, execute GRANT PROCESS ON *.* TO ',
    QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', CHAR_LENGTH(CURRENT_USER()) - CHAR_LENGTH(REPLACE(CURRENT_USER(), '@', '')))), '@', QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1))))

-- The number of sessions that the user may see, and the maximum of all.
-- name: count
SELECT COUNT(*), @@max_connections FROM information_schema.PROCESSLIST

-- The ID, the user, the database, the client, the state, its beginning to a second in microseconds since
-- 1970, and the statement.
-- name: list
SELECT ID, USER, COALESCE(DB, ''), HOST, COMMAND, CAST(1000000 * (UNIX_TIMESTAMP(SYSDATE(6)) - TIME) AS SIGNED), COALESCE(LEFT(INFO, 200), '')
FROM information_schema.PROCESSLIST
WHERE ID <> CONNECTION_ID() AND (COMMAND NOT IN ('Sleep', 'Daemon') OR ID IN (:ids))

-- The waiter, what is locked, and since when it waits, for rows and tables of InnoDB. It requires the
-- privilege SELECT on performance_schema, and PROCESS.
-- name: lock_waits
SELECT t.trx_mysql_thread_id, CONCAT('row of ', l.OBJECT_SCHEMA, '.', l.OBJECT_NAME, COALESCE(CONCAT(', index ', l.INDEX_NAME), '')),
  CAST(1000000 * UNIX_TIMESTAMP(t.trx_wait_started) AS UNSIGNED)
FROM information_schema.INNODB_TRX t JOIN performance_schema.data_locks l ON l.ENGINE_LOCK_ID = t.trx_requested_lock_id
WHERE t.trx_state = 'LOCK WAIT'
