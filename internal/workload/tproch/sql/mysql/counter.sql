-- The number of statements on the whole server, including those in stored routines, without the
-- statements of the counting session.
--
-- The table with the server's counts since its start moved in MySQL 5.7, but not in MariaDB. Only
-- MariaDB executes comments that begin with M.
SET @sledge_schema = IF(VERSION() LIKE '5.6.%' /*M! OR TRUE */, 'information_schema', 'performance_schema');
SET @sledge_counter = CONCAT('SELECT CAST(g.variable_value AS SIGNED) - CAST(s.variable_value AS SIGNED) FROM ',
  @sledge_schema, '.global_status AS g, ', @sledge_schema, '.session_status AS s ',
  'WHERE g.variable_name = ''Queries'' AND s.variable_name = ''Questions''');
PREPARE sledge_counter FROM @sledge_counter;
EXECUTE sledge_counter
