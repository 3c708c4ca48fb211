-- Executions of SELECT statements of users other than the server's own, for the statements that are
-- still in the shared pool: when it drops old statements, the count decreases.
SELECT NVL(SUM(executions), 0) FROM v$sqlarea
WHERE command_type = 3 AND parsing_user_id IN (SELECT user_id FROM all_users WHERE oracle_maintained = 'N')

-- name: rac
SELECT NVL(SUM(executions), 0) FROM gv$sqlarea
WHERE command_type = 3 AND parsing_user_id IN (SELECT user_id FROM all_users WHERE oracle_maintained = 'N')
