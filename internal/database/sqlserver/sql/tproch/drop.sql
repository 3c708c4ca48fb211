-- Waits for sessions that still use a table, but not forever.
SET LOCK_TIMEOUT 60000
/
-- The tables reference each other. A check has found that nothing else references them.
{{- range .Tables}}
DECLARE @sledge_reference nvarchar(800) = '-';
WHILE @sledge_reference <> ''
BEGIN
  SET @sledge_reference = '';
  SELECT TOP 1 @sledge_reference = 'ALTER TABLE dbo.' + QUOTENAME(t.name) + ' DROP CONSTRAINT ' + QUOTENAME(f.name)
  FROM sys.foreign_keys f JOIN sys.tables t ON t.object_id = f.parent_object_id WHERE f.referenced_object_id = OBJECT_ID('dbo.{{.}}');
  IF @sledge_reference <> ''
    EXECUTE (@sledge_reference);
END
/
{{- end}}
{{- range .Tables}}
DROP TABLE {{.}}
/
{{- end}}
-- Drops the partition scheme and function unless another table uses them. Older versions of
-- Babelfish have neither.
IF OBJECT_ID('sys.partition_schemes') IS NOT NULL
  IF EXISTS (SELECT 1 FROM sys.partition_schemes WHERE name = 'date_scheme')
    AND NOT EXISTS (SELECT 1 FROM sys.indexes i JOIN sys.partition_schemes s ON s.data_space_id = i.data_space_id WHERE s.name = 'date_scheme')
    EXECUTE ('DROP PARTITION SCHEME date_scheme; DROP PARTITION FUNCTION date_partition')
/
SET LOCK_TIMEOUT -1
