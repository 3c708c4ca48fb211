-- The user-made objects in the user's schema: a description, the bond, a name, and the table that
-- the object is part of.
--
-- The bond is 'table' for a table, followed by its name; 'upon' for an object that would not work
-- without the table of that name, or would be dropped with it; 'routine' for a routine of that
-- name; and empty for any other object. The remarks of the other objects that a build makes show
-- that they are Sledge's. The table by which builds claim the schema exists while a build or a
-- deletion is running.
SELECT CASE type WHEN 'T' THEN 'table ' WHEN 'V' THEN 'view ' WHEN 'S' THEN 'materialized query table ' WHEN 'A' THEN 'alias ' WHEN 'N' THEN 'nickname ' ELSE 'object ' END || LOWER(tabname) AS what,
  CASE type WHEN 'T' THEN 'table' ELSE '' END AS bond, CASE type WHEN 'T' THEN LOWER(tabname) ELSE '' END AS name, '' AS part_of
FROM syscat.tables WHERE tabschema = CURRENT SCHEMA AND tabname <> 'SLEDGE_CLAIM'
UNION ALL
SELECT CASE dtype WHEN 'S' THEN 'materialized query table ' ELSE 'view ' END || RTRIM(tabschema) || '.' || LOWER(tabname), 'upon', LOWER(bname), ''
FROM syscat.tabdep WHERE bschema = CURRENT SCHEMA AND btype = 'T' AND dtype IN ('V', 'S', 'W')
UNION ALL
SELECT 'foreign key ' || constname || ' of table ' || LOWER(tabname), 'upon', LOWER(reftabname), CASE WHEN tabschema = CURRENT SCHEMA THEN LOWER(tabname) ELSE '' END
FROM syscat.references WHERE reftabschema = CURRENT SCHEMA
UNION ALL
SELECT 'trigger ' || LOWER(trigname), 'upon', LOWER(tabname), '' FROM syscat.triggers WHERE tabschema = CURRENT SCHEMA
UNION ALL
SELECT CASE routinetype WHEN 'P' THEN 'procedure ' WHEN 'F' THEN 'function ' ELSE 'method ' END || LOWER(routinename), CASE routinetype WHEN 'P' THEN 'routine' ELSE '' END,
  '"' || RTRIM(specificname) || '"', ''
FROM syscat.routines WHERE routineschema = CURRENT SCHEMA AND origin <> 'S'
UNION ALL
SELECT 'sequence ' || LOWER(seqname), '', '', '' FROM syscat.sequences WHERE seqschema = CURRENT SCHEMA AND seqtype = 'S'
UNION ALL
SELECT 'variable ' || LOWER(varname), '', '', '' FROM syscat.variables
WHERE varschema = CURRENT SCHEMA AND varmodulename IS NULL AND (remarks IS NULL OR remarks <> 'Sledge')
UNION ALL
SELECT 'type ' || LOWER(typename), '', '', '' FROM syscat.datatypes WHERE typeschema = CURRENT SCHEMA AND (remarks IS NULL OR remarks <> 'Sledge')
ORDER BY 1
