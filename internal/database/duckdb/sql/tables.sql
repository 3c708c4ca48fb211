-- The tables and views in the file, with a row for each column.
SELECT lower(t.name) AS table_name, lower(coalesce(c.column_name, '')) AS column_name, t.kind, t.schema_name
FROM (
  SELECT table_name AS name, 'table' AS kind, schema_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary AND database_name = current_database()
  UNION ALL
  SELECT view_name, 'view', schema_name FROM duckdb_views() WHERE NOT internal AND NOT temporary AND database_name = current_database()
) t
LEFT JOIN duckdb_columns() c ON c.database_name = current_database() AND c.schema_name = t.schema_name AND c.table_name = t.name
-- DuckDB looks names up in main, so its tables come first.
ORDER BY t.schema_name <> 'main', t.schema_name, t.name, c.column_index
