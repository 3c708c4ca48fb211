-- The tables, views and the like in the schema dbo, with a row for each column. The case of table
-- names matters if the database's collation is case-sensitive, as for the column names of these
-- views.
SELECT CASE WHEN 'a' = 'A' THEN LOWER(t.TABLE_NAME) ELSE t.TABLE_NAME END AS table_name, LOWER(COALESCE(c.COLUMN_NAME, '')) AS column_name,
  CASE t.TABLE_TYPE WHEN 'BASE TABLE' THEN 'table' ELSE LOWER(t.TABLE_TYPE) END AS kind, t.TABLE_SCHEMA AS of_schema
FROM INFORMATION_SCHEMA.TABLES t
LEFT JOIN INFORMATION_SCHEMA.COLUMNS c ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
WHERE t.TABLE_SCHEMA = 'dbo'
ORDER BY t.TABLE_NAME, c.ORDINAL_POSITION
