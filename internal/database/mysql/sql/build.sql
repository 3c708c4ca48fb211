-- By these a job knows of others in the same database, for named locks end with
-- their session, however that ends. An idle session holds the claim of a build that
-- is at work, and goes with its client. Each of those that do the work holds a lock
-- of its own, whose number comes from its connection's: a connection that goes on with
-- a statement though its client was killed still has it. No lock can be shared, so that each
-- run has one of its own, too.

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

-- Who works for a build that holds no claim any more, and the statement that ends it.
-- name: orphans
SELECT CONCAT('connection ', id), CONCAT('KILL ', id)
FROM information_schema.processlist
WHERE id <> CONNECTION_ID() AND id = IS_USED_LOCK(CONCAT('sledge.', id % 512, '.', MD5(DATABASE())))
