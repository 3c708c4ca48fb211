-- Like Db2's, but Derby waits for a lock as long as its settings say, and sessions have no names.
-- name: claim
CREATE TABLE sledge_claim (held_by_a_lock SMALLINT NOT NULL)
/
LOCK TABLE sledge_claim IN EXCLUSIVE MODE

-- name: holder
SELECT CAST('transaction ' || l.xid || ' of user ' || t.username AS VARCHAR(200))
FROM syscs_diag.lock_table l JOIN syscs_diag.transaction_table t ON t.xid = l.xid
WHERE l.tablename = 'SLEDGE_CLAIM' AND l.mode = 'X' AND l.state = 'GRANT'

-- name: work
SELECT 1 FROM sysibm.sysdummy1

-- name: orphans
SELECT tablename, schemaname FROM sys.systables t JOIN sys.sysschemas s ON s.schemaid = t.schemaid WHERE t.tablename = 'no such'
