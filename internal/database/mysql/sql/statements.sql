-- The server's own statistics of statements: see the file of PostgreSQL.
-- name: lacking
SELECT IF(@@performance_schema, '', 'performance_schema is off. Start the server with performance_schema=ON')

-- name: counts
SELECT digest AS id, SUM(count_star) AS calls, SUM(sum_timer_wait) / 1000000000 AS ms, SUM(sum_rows_affected + sum_rows_sent) AS number_of_rows,
  SUM(sum_lock_time) / 1000000000 AS lock_ms, SUM(sum_rows_examined) AS rows_examined, SUM(sum_errors) AS errors,
  SUM(sum_created_tmp_disk_tables) AS created_tmp_disk_tables, SUM(sum_sort_rows) AS sort_rows, SUM(sum_no_index_used) AS no_index_used
FROM performance_schema.events_statements_summary_by_digest
WHERE digest IS NOT NULL AND schema_name = DATABASE()
GROUP BY digest

-- name: texts
SELECT digest AS id, MIN(LEFT(digest_text, 1000)) AS statement
FROM performance_schema.events_statements_summary_by_digest
WHERE digest IN (:ids) AND schema_name = DATABASE()
GROUP BY digest
