-- Statements of the whole server, of any kind and those in stored routines included, without
-- those of the session that counts.
--
-- The table that says how many there were since it started moved when MySQL 5.7 came, and did
-- not move in MariaDB, which alone reads what stands in a comment that begins with M.
SET @sledge_schema = IF(VERSION() LIKE '5.6.%' /*M! OR TRUE */, 'information_schema', 'performance_schema');
SET @sledge_counter = CONCAT('SELECT CAST(g.variable_value AS SIGNED) - CAST(s.variable_value AS SIGNED) FROM ',
  @sledge_schema, '.global_status AS g, ', @sledge_schema, '.session_status AS s ',
  'WHERE g.variable_name = ''Queries'' AND s.variable_name = ''Questions''');
PREPARE sledge_counter FROM @sledge_counter;
EXECUTE sledge_counter
