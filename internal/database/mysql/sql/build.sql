-- A job finds other jobs in the same database by these locks: the server releases a named lock when
-- its session ends, for any reason. During a build, an idle session holds the build's claim, and
-- ends with its client. Each session that does the work holds its own lock, numbered by its
-- connection: a connection that continues a statement after its client was killed still holds it.
-- MySQL has no shared named locks, so each run has its own lock too.

-- name: claim
SELECT GET_LOCK(CONCAT('sledge.build.', MD5(DATABASE())), 0)

-- name: holder
SELECT CONCAT('connection ', id, ' of user ', user, ' from ', host)
FROM information_schema.processlist WHERE id = IS_USED_LOCK(CONCAT('sledge.build.', MD5(DATABASE())))

-- name: share
SELECT GET_LOCK(CONCAT('sledge.run.', CONNECTION_ID(), '.', MD5(DATABASE())), 0)

-- name: sharers
SELECT CONCAT('connection ', id, ' of user ', user, ' from ', host)
FROM information_schema.processlist
WHERE id <> CONNECTION_ID() AND id = IS_USED_LOCK(CONCAT('sledge.run.', id, '.', MD5(DATABASE())))

-- name: work
SELECT GET_LOCK(CONCAT('sledge.', CONNECTION_ID() % 512, '.', MD5(DATABASE())), 0)

-- The sessions that still work for a build that no longer holds a claim, and the statements that
-- end them.
-- name: orphans
SELECT CONCAT('connection ', id), CONCAT('KILL ', id)
FROM information_schema.processlist
WHERE id <> CONNECTION_ID() AND id = IS_USED_LOCK(CONCAT('sledge.', id % 512, '.', MD5(DATABASE())))
