-- Somebody who still uses a table is waited for, but not for ever.
SET LOCK_TIMEOUT 60000
/
-- The tables refer to each other; that nothing else refers to them has been looked at.
{{- range .Tables}}
DECLARE @sledge_references varchar(8000) = '';
SELECT @sledge_references = @sledge_references + 'ALTER TABLE dbo.' + QUOTENAME(t.name) + ' DROP CONSTRAINT ' + QUOTENAME(f.name) + ';'
FROM sys.foreign_keys f JOIN sys.tables t ON t.object_id = f.parent_object_id WHERE f.referenced_object_id = OBJECT_ID('dbo.{{.}}');
EXECUTE (@sledge_references)
/
{{- end}}
{{- range .Tables}}
DROP TABLE {{.}}
/
{{- end}}
-- What tables were divided by, as far as no other table is.
IF EXISTS (SELECT 1 FROM sys.partition_schemes WHERE name = 'date_scheme')
  AND NOT EXISTS (SELECT 1 FROM sys.indexes i JOIN sys.partition_schemes s ON s.data_space_id = i.data_space_id WHERE s.name = 'date_scheme')
BEGIN
  DROP PARTITION SCHEME date_scheme;
  DROP PARTITION FUNCTION date_partition;
END
/
SET LOCK_TIMEOUT -1
