-- The tables, views and the like in the database, with a row for each column. The case of table
-- names matters if the server says so.
SELECT IF(@@lower_case_table_names = 0, t.table_name, LOWER(t.table_name)) AS table_name, LOWER(COALESCE(c.column_name, '')) AS column_name,
  IF(t.table_type = 'BASE TABLE', 'table', LOWER(t.table_type)) AS kind, t.table_schema
FROM information_schema.tables t
LEFT JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = DATABASE()
ORDER BY t.table_name, c.ordinal_position
