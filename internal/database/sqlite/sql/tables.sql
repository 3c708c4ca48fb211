SELECT t.name AS table_name, c.name AS column_name
FROM sqlite_master t, pragma_table_info(t.name) c
WHERE t.type = 'table' AND t.name NOT GLOB 'sqlite_*'
ORDER BY t.name, c.cid
