-- Like Db2's, but from Derby's own catalog. IBM's library cannot read a CASE of constants from
-- Derby unless its type is given.
SELECT LOWER(t.tablename) AS table_name, LOWER(COALESCE(c.columnname, '')) AS column_name, CAST(CASE WHEN t.tabletype = 'T' THEN 'table' ELSE 'view' END AS VARCHAR(5)) AS kind, s.schemaname
FROM sys.systables t
JOIN sys.sysschemas s ON s.schemaid = t.schemaid
LEFT JOIN sys.syscolumns c ON c.referenceid = t.tableid
WHERE s.schemaname = 'SLEDGE'
