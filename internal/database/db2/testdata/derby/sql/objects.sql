-- Like Db2's, but from Derby's own catalog.
SELECT CAST(CASE WHEN t.tabletype = 'T' THEN 'table ' ELSE 'view ' END || LOWER(t.tablename) AS VARCHAR(140)) AS what,
  CAST(CASE WHEN t.tabletype = 'T' THEN 'table' ELSE '' END AS VARCHAR(5)) AS bond,
  CAST(CASE WHEN t.tabletype = 'T' THEN LOWER(t.tablename) ELSE '' END AS VARCHAR(128)) AS name, CAST('' AS VARCHAR(1)) AS part_of
FROM sys.systables t JOIN sys.sysschemas s ON s.schemaid = t.schemaid WHERE s.schemaname = 'SLEDGE' AND t.tablename <> 'SLEDGE_CLAIM'
