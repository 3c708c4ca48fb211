-- The sessions that are not idle: see the file of MySQL. MariaDB knows how long a session has executed its
-- statement.
SELECT ID, IF(COMMAND IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Slave_IO', 'Slave_SQL', 'Slave_worker', 'Connect'), COMMAND, '') AS background,
  USER AS program, COALESCE(STATE, '') AS wait, COALESCE(LEFT(INFO, 200), '') AS statement,
  CAST(1000000 * UNIX_TIMESTAMP(NOW(6)) AS UNSIGNED) AS asked, CAST(1000000 * UNIX_TIMESTAMP(SYSDATE(6)) AS UNSIGNED) AS now,
  CAST(1000000 * UNIX_TIMESTAMP(SYSDATE(6)) - 1000 * TIME_MS AS UNSIGNED) AS since
FROM information_schema.PROCESSLIST
WHERE COMMAND <> 'Sleep' AND ID <> CONNECTION_ID() AND NOT (COMMAND = 'Daemon' AND INFO IS NULL)

-- The sessions that wait for a row, and those before them in the queue. It requires the privilege
-- PROCESS. InnoDB renews this list only if no session has read it for 0.1 s.
-- name: locks
SELECT r.trx_mysql_thread_id AS id, b.trx_mysql_thread_id AS blocker, COALESCE(p.USER, '') AS program
FROM information_schema.INNODB_LOCK_WAITS w
JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id
JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id
LEFT JOIN information_schema.PROCESSLIST p ON p.ID = b.trx_mysql_thread_id
