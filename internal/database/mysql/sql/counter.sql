-- COMMIT and ROLLBACK statements of the whole server, those in stored procedures
-- included, those of autocommit not.
--
-- The table that says how many there were since it started moved when MySQL 5.7 came, and
-- did not move in MariaDB, which alone reads what stands in a comment that begins with M.
SET @sledge_counter = CONCAT('SELECT SUM(variable_value) FROM ',
  IF(VERSION() LIKE '5.6.%' /*M! OR TRUE */, 'information_schema', 'performance_schema'),
  '.global_status WHERE variable_name IN (''Com_commit'', ''Com_rollback'')');
PREPARE sledge_counter FROM @sledge_counter;
EXECUTE sledge_counter
