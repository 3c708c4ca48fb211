-- The user-made objects in the file: a description, the bond, a name, and the table that the object
-- is part of.
--
-- The bond is 'table' for a table of the schema main, followed by its name; 'upon' for an object
-- that would not work without the table of that name, or prevents dropping it; and empty for any
-- other object. DuckDB does not record which tables a view or a macro reads, so any occurrence of a
-- table's name in its text counts.
WITH
tables AS (SELECT lower(table_name) AS name, schema_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary AND database_name = current_database()
  AND table_name <> 'sledge_created'), -- which shows that a build created the file
views AS (SELECT lower(view_name) AS name, schema_name, lower(sql) AS text FROM duckdb_views() WHERE NOT internal AND NOT temporary AND database_name = current_database()),
macros AS (
  SELECT DISTINCT lower(function_name) AS name, schema_name, lower(macro_definition) AS text FROM duckdb_functions()
  WHERE NOT internal AND database_name = current_database() AND function_type LIKE '%macro'
)
SELECT 'table ' || CASE schema_name WHEN 'main' THEN '' ELSE schema_name || '.' END || name AS what,
  CASE schema_name WHEN 'main' THEN 'table' ELSE '' END AS bond, CASE schema_name WHEN 'main' THEN name ELSE '' END AS name, '' AS part_of
FROM tables
UNION ALL SELECT 'view ' || name, '', '', '' FROM views
UNION ALL SELECT 'view ' || v.name, 'upon', t.name, '' FROM views v JOIN tables t ON regexp_matches(v.text, '\b' || regexp_escape(t.name) || '\b') WHERE t.schema_name = 'main'
UNION ALL SELECT 'macro ' || name, '', '', '' FROM macros
UNION ALL SELECT 'macro ' || m.name, 'upon', t.name, '' FROM macros m JOIN tables t ON regexp_matches(m.text, '\b' || regexp_escape(t.name) || '\b') WHERE t.schema_name = 'main'
UNION ALL
SELECT 'foreign key of table ' || lower(table_name), 'upon', lower(referenced_table), CASE schema_name WHEN 'main' THEN lower(table_name) ELSE '' END
FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' AND database_name = current_database()
UNION ALL SELECT 'sequence ' || lower(sequence_name), '', '', '' FROM duckdb_sequences() WHERE NOT temporary AND database_name = current_database()
UNION ALL SELECT 'type ' || lower(type_name), '', '', '' FROM duckdb_types() WHERE NOT internal AND database_name = current_database()
UNION ALL SELECT 'schema ' || lower(schema_name), '', '', '' FROM duckdb_schemas() WHERE NOT internal AND database_name = current_database() AND schema_name <> 'main'
ORDER BY 1, 2
