-- The tables, views and the like in the user's schema, with a row for each column.
SELECT LOWER(t.tabname) AS table_name, LOWER(COALESCE(c.colname, '')) AS column_name,
  CASE t.type WHEN 'T' THEN 'table' WHEN 'V' THEN 'view' WHEN 'S' THEN 'materialized query table' WHEN 'A' THEN 'alias' WHEN 'N' THEN 'nickname' ELSE 'object' END AS kind,
  RTRIM(t.tabschema) AS table_schema
FROM syscat.tables t
LEFT JOIN syscat.columns c ON c.tabschema = t.tabschema AND c.tabname = t.tabname
WHERE t.tabschema = CURRENT SCHEMA
ORDER BY t.tabname, c.colno
