-- What stands in the schema dbo by its name, of whatever kind, with a row for each column.
-- Names of tables differ by capitals where the database's collation tells them apart.
SELECT CASE WHEN 'a' = 'A' THEN LOWER(t.table_name) ELSE t.table_name END AS table_name, LOWER(COALESCE(c.column_name, '')) AS column_name,
  CASE t.table_type WHEN 'BASE TABLE' THEN 'table' ELSE LOWER(t.table_type) END AS kind, t.table_schema
FROM INFORMATION_SCHEMA.TABLES t
LEFT JOIN INFORMATION_SCHEMA.COLUMNS c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = 'dbo'
ORDER BY t.table_name, c.ordinal_position
