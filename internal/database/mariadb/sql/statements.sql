-- MariaDB keeps no example of a statement, so it comes from the newest statements of all sessions.
-- name: examples
SELECT e.id, COALESCE(e.statement, ''),
  CASE
    WHEN e.statement IS NULL THEN 'the server keeps no text of it'
    WHEN RIGHT(e.statement, 3) = '...' THEN CONCAT('the server has cut its text: performance_schema_max_sql_text_length is ', @@performance_schema_max_sql_text_length)
    WHEN LOCATE('?', e.statement) > 0 THEN 'it is a prepared statement, whose values the server does not keep'
    WHEN e.statement REGEXP '/[*]|#|--' THEN 'its text has a comment'
    WHEN e.statement REGEXP 'into[[:space:]]+(outfile|dumpfile|@)' THEN 'it writes a file or a variable'
    WHEN e.statement REGEXP '(sleep|benchmark|get_lock|release_lock|release_all_locks|load_file|nextval|setval|lastval|last_insert_id|master_pos_wait|source_pos_wait|master_gtid_wait|wait_for_executed_gtid_set)[` [:space:]]*[(]|next[[:space:]]+value'
      THEN 'it calls a function that EXPLAIN may execute'
    WHEN e.statement REGEXP '^[[:space:]]*update[^=]*(,|[[:space:]]join[[:space:]])'
      OR e.statement REGEXP '^[[:space:]]*delete[[:space:]]' AND (e.statement NOT REGEXP '^[[:space:]]*delete[[:space:]]+from[[:space:]]' OR e.statement REGEXP '[[:space:]](join|using)[[:space:]]')
      THEN 'it changes several tables, so that EXPLAIN may lock rows'
    WHEN EXISTS (
      SELECT 1 FROM information_schema.routines r
      WHERE r.routine_type = 'FUNCTION' AND e.plain LIKE CONCAT('%', r.routine_name, '(%')
    ) THEN 'it calls a stored function, which EXPLAIN may execute'
    ELSE ''
  END AS why,
  IF(e.statement REGEXP '^[[:space:]]*(select|with)', 'explain', 'explain_change') AS how
FROM (
  SELECT id, MIN(statement) AS statement, REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(MIN(statement), ' ', ''), '\n', ''), '\r', ''), '\t', ''), '`', '') AS plain
  FROM (
    SELECT digest AS id, sql_text AS statement FROM performance_schema.events_statements_history
    WHERE digest IN (:ids) AND current_schema = DATABASE()
    UNION ALL
    SELECT digest, sql_text FROM performance_schema.events_statements_current
    WHERE digest IN (:ids) AND current_schema = DATABASE()
  ) newest
  GROUP BY id
) e
UNION ALL
SELECT '', '', CONCAT('the server keeps no texts with values. Execute UPDATE performance_schema.setup_consumers SET enabled = ''YES'' WHERE name IN ',
  '(''events_statements_current'', ''events_statements_history'')'), ''
FROM performance_schema.setup_consumers WHERE name = 'events_statements_history' AND enabled = 'NO'
