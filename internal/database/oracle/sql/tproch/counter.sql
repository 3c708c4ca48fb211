-- Executions of SELECTs that users of their own have asked, as far as the shared pool still knows
-- them: it forgets the oldest, and the count goes back by theirs.
SELECT NVL(SUM(executions), 0) FROM v$sqlarea
WHERE command_type = 3 AND parsing_user_id IN (SELECT user_id FROM all_users WHERE oracle_maintained = 'N')

-- name: rac
SELECT NVL(SUM(executions), 0) FROM gv$sqlarea
WHERE command_type = 3 AND parsing_user_id IN (SELECT user_id FROM all_users WHERE oracle_maintained = 'N')
