-- The user-made objects in the database: a description, the bond, a name, and the table that the
-- object is part of.
--
-- The bond is 'table' for a table, followed by its name; 'part' for a part of the table of that
-- name; 'upon' for an object that prevents dropping the table of that name, would not work without
-- it, or would be dropped with it; 'routine' for a procedure of that name; and empty for any other
-- object.
--
-- Azure SQL lists its own views in the schema sys. Assemblies of users have numbers from 65536.
-- Older versions of Babelfish have no partitions.
DECLARE @sledge_objects TABLE (what nvarchar(400), bond varchar(10), name nvarchar(400), part_of nvarchar(400));
INSERT INTO @sledge_objects (what, bond, name, part_of)
SELECT LOWER(REPLACE(o.type_desc COLLATE DATABASE_DEFAULT, '_', ' ')) + ' ' + CASE s.name WHEN 'dbo' THEN '' ELSE s.name + '.' END + o.name AS what,
  CASE WHEN o.type = 'U' AND s.name = 'dbo' THEN 'table' WHEN o.type = 'P' AND s.name = 'dbo' THEN 'routine'
    WHEN o.type IN ('C', 'D', 'PK', 'UQ') THEN 'part' WHEN o.type = 'TR' THEN 'upon' ELSE '' END AS bond,
  CASE WHEN o.type IN ('C', 'D', 'PK', 'UQ', 'TR') THEN CASE WHEN 'a' = 'A' THEN LOWER(p.name) ELSE p.name END
    WHEN o.type = 'P' THEN '[' + o.name + ']'
    WHEN o.type = 'U' THEN CASE WHEN 'a' = 'A' THEN LOWER(o.name) ELSE o.name END ELSE '' END AS name,
  '' AS part_of
FROM sys.objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id
LEFT JOIN sys.objects p ON p.object_id = o.parent_object_id
WHERE o.is_ms_shipped = 0 AND o.type NOT IN ('F', 'IT', 'S', 'SQ') AND s.name <> 'sys'
  AND 'sledge_created' NOT IN (o.name, COALESCE(p.name, '')) -- it shows that a build created the database
UNION ALL
SELECT 'foreign key ' + f.name + ' of table ' + t.name, 'upon', CASE WHEN 'a' = 'A' THEN LOWER(r.name) ELSE r.name END,
  CASE WHEN 'a' = 'A' THEN LOWER(t.name) ELSE t.name END
FROM sys.foreign_keys f
JOIN sys.tables t ON t.object_id = f.parent_object_id
JOIN sys.tables r ON r.object_id = f.referenced_object_id
UNION ALL
SELECT DISTINCT LOWER(REPLACE(o.type_desc COLLATE DATABASE_DEFAULT, '_', ' ')) + ' ' + o.name, 'upon', CASE WHEN 'a' = 'A' THEN LOWER(t.name) ELSE t.name END, ''
FROM sys.sql_expression_dependencies d
JOIN sys.objects o ON o.object_id = d.referencing_id AND o.type IN ('V', 'FN', 'IF', 'TF', 'TR')
JOIN sys.tables t ON t.object_id = d.referenced_id
UNION ALL
SELECT 'schema ' + s.name, '', '', '' FROM sys.schemas s
WHERE s.schema_id BETWEEN 5 AND 16383
UNION ALL
SELECT 'type ' + t.name, '', '', '' FROM sys.types t WHERE t.is_user_defined = 1
UNION ALL
SELECT 'trigger ' + t.name, '', '', '' FROM sys.triggers t WHERE t.parent_class = 0 AND t.is_ms_shipped = 0
UNION ALL
SELECT 'assembly ' + a.name, '', '', '' FROM sys.assemblies a WHERE a.assembly_id >= 65536;
IF OBJECT_ID('sys.partition_schemes') IS NOT NULL
  INSERT INTO @sledge_objects (what, bond, name, part_of)
  SELECT 'partition scheme ' + p.name, '', '', '' FROM sys.partition_schemes p WHERE p.name <> 'date_scheme'
  UNION ALL
  SELECT 'partition function ' + p.name, '', '', '' FROM sys.partition_functions p WHERE p.name <> 'date_partition';
SELECT what, bond, name, part_of FROM @sledge_objects ORDER BY what
