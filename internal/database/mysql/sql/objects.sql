-- The user-made objects in the database: a description, the bond, a name, and the table that the
-- object is part of.
--
-- The bond is 'table' for a table, followed by its name; 'upon' for an object that would not work
-- without the table of that name, or would be dropped with it; 'routine' for a routine of that
-- name; and empty for any other object. A view whose text the user may not read could depend on any
-- table. The table sledge_created shows that a build created the database.
SELECT CONCAT(IF(table_type = 'BASE TABLE', 'table', LOWER(table_type)), ' ', table_name) AS what,
  IF(table_type = 'BASE TABLE', 'table', '') AS bond, IF(@@lower_case_table_names = 0, table_name, LOWER(table_name)) AS name, '' AS part_of
FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name <> 'sledge_created'
UNION ALL
SELECT CONCAT(LOWER(routine_type), ' ', routine_name), IF(routine_type = 'PROCEDURE', 'routine', ''), CONCAT('`', REPLACE(routine_name, '`', '``'), '`'), ''
FROM information_schema.routines WHERE routine_schema = DATABASE()
UNION ALL
SELECT CONCAT('event ', event_name), '', '', '' FROM information_schema.events WHERE event_schema = DATABASE()
UNION ALL
SELECT CONCAT('trigger ', trigger_name), 'upon', IF(@@lower_case_table_names = 0, event_object_table, LOWER(event_object_table)), ''
FROM information_schema.triggers WHERE event_object_schema = DATABASE()
UNION ALL
SELECT CONCAT('foreign key ', constraint_name, ' of table ', IF(constraint_schema = DATABASE(), '', CONCAT(constraint_schema, '.')), table_name), 'upon',
  IF(@@lower_case_table_names = 0, referenced_table_name, LOWER(referenced_table_name)),
  IF(constraint_schema <> DATABASE(), '', IF(@@lower_case_table_names = 0, table_name, LOWER(table_name)))
FROM information_schema.referential_constraints WHERE unique_constraint_schema = DATABASE()
UNION ALL
SELECT CONCAT('view ', IF(v.table_schema = DATABASE(), '', CONCAT(v.table_schema, '.')), v.table_name), 'upon',
  IF(@@lower_case_table_names = 0, t.table_name, LOWER(t.table_name)), ''
FROM information_schema.views v
JOIN information_schema.tables t ON t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE'
WHERE v.table_schema <> 'sys' AND (
  INSTR(v.view_definition, CONCAT('`', REPLACE(DATABASE(), '`', '``'), '`.`', t.table_name, '`')) > 0
  OR v.table_schema = DATABASE() AND COALESCE(v.view_definition, '') = '')
ORDER BY 1
