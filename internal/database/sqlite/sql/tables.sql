-- The tables and views in the file, with a row for each column.
SELECT lower(t.name) AS table_name, lower(coalesce(c.name, '')) AS column_name,
  CASE WHEN t.type = 'table' AND t.sql LIKE 'CREATE VIRTUAL%' THEN 'virtual table' ELSE t.type END AS kind, '' AS schema_name
FROM sqlite_master t LEFT JOIN pragma_table_info(t.name) c ON t.type IN ('table', 'view')
WHERE t.type <> 'trigger' AND t.name NOT GLOB 'sqlite_*'
ORDER BY t.name, c.cid
