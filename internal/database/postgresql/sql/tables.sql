-- What a name means to this session: the first object of that name on its search path, of any kind,
-- since it hides a table of that name. Tables, views and the like have a row for each column.
SELECT c.relname, coalesce(a.attname, ''), CASE
    WHEN c.relispartition THEN 'partition'
    WHEN c.relkind IN ('r', 'p') AND c.relpersistence <> 't' THEN 'table'
    WHEN c.relkind IN ('r', 'p') THEN 'temporary table'
    WHEN c.relkind = 'v' THEN 'view'
    WHEN c.relkind = 'm' THEN 'materialized view'
    WHEN c.relkind = 'f' THEN 'foreign table'
    WHEN c.relkind = 'S' THEN 'sequence'
    WHEN c.relkind IN ('i', 'I') THEN 'index'
    ELSE 'type'
  END, n.nspname
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
WHERE pg_table_is_visible(c.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
UNION ALL
SELECT t.typname, '', 'type', n.nspname
FROM pg_type t
JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE t.typtype IN ('b', 'd', 'e', 'r') AND t.typcategory <> 'A' AND pg_type_is_visible(t.oid)
  AND n.nspname NOT IN ('pg_catalog', 'information_schema')
ORDER BY 1
