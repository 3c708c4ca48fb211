-- What stands in the schema dbo by its name, of whatever kind, with a row for each column.
-- Names of tables differ by capitals where the database's collation tells them apart, as then
-- those of these views' columns do.
SELECT CASE WHEN 'a' = 'A' THEN LOWER(t.TABLE_NAME) ELSE t.TABLE_NAME END AS table_name, LOWER(COALESCE(c.COLUMN_NAME, '')) AS column_name,
  CASE t.TABLE_TYPE WHEN 'BASE TABLE' THEN 'table' ELSE LOWER(t.TABLE_TYPE) END AS kind, t.TABLE_SCHEMA AS of_schema
FROM INFORMATION_SCHEMA.TABLES t
LEFT JOIN INFORMATION_SCHEMA.COLUMNS c ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
WHERE t.TABLE_SCHEMA = 'dbo'
ORDER BY t.TABLE_NAME, c.ORDINAL_POSITION
