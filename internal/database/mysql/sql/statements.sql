-- The server's own statistics of statements: see the file of PostgreSQL.
-- name: lacking
SELECT IF(@@performance_schema, '', 'performance_schema is off. Start the server with performance_schema=ON')

-- Executions of prepared statements have no digest. Each session has its own, and they end with it.
-- name: counts
SELECT digest AS id, SUM(count_star) AS calls, SUM(sum_timer_wait) / 1000000000 AS ms, SUM(sum_rows_affected + sum_rows_sent) AS number_of_rows,
  SUM(sum_lock_time) / 1000000000 AS lock_ms, SUM(sum_rows_examined) AS rows_examined, SUM(sum_errors) AS errors,
  SUM(sum_created_tmp_disk_tables) AS created_tmp_disk_tables, SUM(sum_sort_rows) AS sort_rows, SUM(sum_no_index_used) AS no_index_used
FROM performance_schema.events_statements_summary_by_digest
WHERE digest IS NOT NULL AND schema_name = DATABASE()
GROUP BY digest
UNION ALL
SELECT MD5(i.sql_text), SUM(i.count_execute), SUM(i.sum_timer_execute) / 1000000000, SUM(i.sum_rows_affected + i.sum_rows_sent),
  SUM(i.sum_lock_time) / 1000000000, SUM(i.sum_rows_examined), SUM(i.sum_errors),
  SUM(i.sum_created_tmp_disk_tables), SUM(i.sum_sort_rows), SUM(i.sum_no_index_used)
FROM performance_schema.prepared_statements_instances i JOIN performance_schema.threads t ON t.thread_id = i.owner_thread_id
WHERE t.processlist_db = DATABASE()
GROUP BY i.sql_text

-- name: texts
SELECT digest AS id, MIN(LEFT(digest_text, 1000)) AS statement
FROM performance_schema.events_statements_summary_by_digest
WHERE digest IN (:ids) AND schema_name = DATABASE()
GROUP BY digest
UNION ALL
SELECT MD5(sql_text), LEFT(sql_text, 1000)
FROM performance_schema.prepared_statements_instances
WHERE MD5(sql_text) IN (:ids)
GROUP BY sql_text

-- Whole texts, with values or the parameters of a prepared statement, why they cannot be explained, and the section that explains them. EXPLAIN may execute
-- functions to plan. "plain" has no white space and no quotes of names. MySQL, which reads the first of two comments,
-- keeps an example of each statement; MariaDB keeps the newest statements of all sessions.
-- name: examples
SELECT e.id, COALESCE(e.statement, ''),
  CASE
    WHEN e.statement IS NULL THEN 'the server keeps no text of it'
    WHEN RIGHT(e.statement, 3) = '...' THEN CONCAT('the server has cut its text: performance_schema_max_sql_text_length is ', @@performance_schema_max_sql_text_length)
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
  SELECT id, statement, REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(statement, ' ', ''), '\n', ''), '\r', ''), '\t', ''), '`', '') AS plain
  FROM (
    /*!50708 SELECT digest AS id, query_sample_text AS statement FROM performance_schema.events_statements_summary_by_digest WHERE schema_name = DATABASE() */
    /*M!100101 SELECT id, MIN(sql_text) AS statement
    FROM (
      SELECT digest AS id, sql_text FROM performance_schema.events_statements_history WHERE current_schema = DATABASE()
      UNION ALL
      SELECT digest, sql_text FROM performance_schema.events_statements_current WHERE current_schema = DATABASE()
    ) newest
    GROUP BY id */
    UNION ALL
    SELECT MD5(sql_text), sql_text FROM performance_schema.prepared_statements_instances GROUP BY sql_text
  ) kept
  WHERE id IN (:ids)
) e
/*M!100101 UNION ALL
SELECT '', '', CONCAT('the server keeps no texts with values. Execute UPDATE performance_schema.setup_consumers SET enabled = ''YES'' WHERE name IN ',
  '(''events_statements_current'', ''events_statements_history'')'), ''
FROM performance_schema.setup_consumers WHERE name = 'events_statements_history' AND enabled = 'NO' */

-- A function that the server executes to plan cannot write. COMMIT and ROLLBACK would count as transactions.
-- name: explain
SET SESSION autocommit = 1, innodb_lock_wait_timeout = 1, lock_wait_timeout = 1 /*M!100101 , max_statement_time = 1 */ /*!50708 , max_execution_time = 1000 */;
SET SESSION TRANSACTION READ ONLY; EXPLAIN FORMAT=JSON :query
; SET SESSION TRANSACTION READ WRITE

-- The server does not explain changes in a transaction that is read-only.
-- name: explain_change
SET SESSION autocommit = 1, innodb_lock_wait_timeout = 1, lock_wait_timeout = 1 /*M!100101 , max_statement_time = 1 */ /*!50708 , max_execution_time = 1000 */;
SET SESSION TRANSACTION READ WRITE; SET autocommit = 0; SAVEPOINT sledge; EXPLAIN FORMAT=JSON :query
; ROLLBACK TO SAVEPOINT sledge; SET autocommit = 1

-- See the file of PostgreSQL.
-- name: columns
SELECT c.table_name, c.column_name, c.column_type,
  IF(c.column_key = 'UNI' OR c.column_key = 'PRI' AND (
    SELECT COUNT(*) FROM information_schema.statistics s
    WHERE s.table_schema = c.table_schema AND s.table_name = c.table_name AND s.index_name = 'PRIMARY'
  ) = 1, 'yes', '') AS is_unique,
  t.table_rows
FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = DATABASE()
ORDER BY c.table_name, c.ordinal_position

-- name: sample
SET SESSION lock_wait_timeout = 1 /*M!100101 , max_statement_time = 1 */ /*!50708 , max_execution_time = 1000 */;
SELECT COUNT(*) AS number_of_rows, COUNT(:column) AS filled, COUNT(DISTINCT :column) AS number_of_values
FROM (SELECT :column FROM :table LIMIT 10000) sledge_sample

-- name: range
SET SESSION lock_wait_timeout = 1 /*M!100101 , max_statement_time = 1 */ /*!50708 , max_execution_time = 1000 */;
SELECT MIN(:column) AS sledge_least, MAX(:column) AS sledge_greatest FROM :table

-- The server does not tell the types of parameters.
-- name: parameters
PREPARE sledge_statement FROM :text; DEALLOCATE PREPARE sledge_statement
