-- The procedures with names from TPROC-C that the user may not call, spelled as in
-- installed_routines.sql.
SELECT '[' + o.name + ']'
FROM sys.objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id AND s.name = 'dbo'
WHERE o.type = 'P' AND LOWER(o.name) IN ('neword', 'payment', 'delivery', 'ostat', 'slev')
  AND HAS_PERMS_BY_NAME('[dbo].[' + o.name + ']', 'OBJECT', 'EXECUTE') = 0
