-- The sessions that are not idle: see the file of PostgreSQL. Without the privilege PROCESS a user sees
-- its own. Inside a routine, the user is the routine's definer. When a session began its statement is
-- known to a second only.
SELECT ID, IF(COMMAND IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Slave_IO', 'Slave_SQL', 'Slave_worker', 'Connect'), COMMAND, '') AS background,
  USER AS program, COALESCE(STATE, '') AS wait, COALESCE(LEFT(INFO, 200), '') AS statement,
  CAST(1000000 * UNIX_TIMESTAMP(NOW(6)) AS UNSIGNED) AS asked, CAST(1000000 * UNIX_TIMESTAMP(SYSDATE(6)) AS UNSIGNED) AS now, '' AS since
FROM information_schema.PROCESSLIST
WHERE COMMAND <> 'Sleep' AND ID <> CONNECTION_ID() AND NOT (COMMAND = 'Daemon' AND INFO IS NULL)

-- The sessions that wait for a row, which the process list does not tell. It requires the privilege
-- PROCESS, and does not tell who holds the row.
-- name: locks
SELECT trx_mysql_thread_id AS id, '' AS blocker, '' AS program FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'
