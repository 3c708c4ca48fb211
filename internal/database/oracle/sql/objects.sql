-- The user-made objects in the user's schema: a description, the bond, a name, and the table that
-- the object is part of. The word NULL stands for an empty bond or name.
--
-- The bond is 'table' for a table; 'part' for an object that drop.sql drops with the table of that
-- name; 'upon' for an object that would not work without the table of that name; 'routine' for a
-- procedure. Indexes are not listed, because they are dropped with their tables, nor are objects
-- that the server made for its own use. The table by which builds claim the schema exists while a
-- build or a deletion is running. sledge_created shows that a build created the user.
WITH part AS (
  SELECT v.view_name AS name, 'stock' AS of_table FROM user_views v WHERE v.view_name = 'STOCK_ITEM'
  UNION ALL
  SELECT t.cluster_name, LOWER(t.table_name) FROM user_tables t WHERE t.cluster_name IS NOT NULL
)
SELECT 'table ' || LOWER(t.table_name) AS what, 'table' AS bond, LOWER(t.table_name) AS name, NULL AS part_of
FROM user_tables t
WHERE t.table_name NOT IN ('SLEDGE_CLAIM', 'SLEDGE_CREATED') AND t.nested = 'NO' AND (t.iot_type IS NULL OR t.iot_type = 'IOT') AND t.secondary = 'N'
  AND NOT EXISTS (SELECT 1 FROM user_mviews m WHERE m.container_name = t.table_name)
UNION ALL
SELECT LOWER(o.object_type) || ' ' || LOWER(o.object_name),
  CASE WHEN o.object_type = 'PROCEDURE' THEN 'routine' WHEN p.name IS NOT NULL THEN 'part' END,
  CASE WHEN o.object_type = 'PROCEDURE' THEN LOWER(o.object_name) ELSE p.of_table END, NULL
FROM user_objects o LEFT JOIN part p ON p.name = o.object_name AND o.object_type IN ('VIEW', 'CLUSTER')
WHERE o.generated = 'N' AND o.secondary = 'N'
  AND o.object_type NOT IN ('TABLE', 'INDEX', 'LOB', 'TRIGGER', 'TYPE BODY', 'PACKAGE BODY')
  AND o.object_type NOT LIKE '% PARTITION' AND o.object_type NOT LIKE '% SUBPARTITION'
UNION ALL
SELECT LOWER(d.type) || ' ' || CASE WHEN d.owner = USER THEN '' ELSE LOWER(d.owner) || '.' END || LOWER(d.name), 'upon', LOWER(d.referenced_name), NULL
FROM all_dependencies d
WHERE d.referenced_owner = USER AND d.referenced_type = 'TABLE' AND d.type IN ('VIEW', 'MATERIALIZED VIEW')
  AND NOT (d.owner = USER AND d.name IN (SELECT name FROM part))
UNION ALL
SELECT 'trigger ' || LOWER(g.trigger_name), 'upon', LOWER(g.table_name), NULL
FROM user_triggers g WHERE RTRIM(g.base_object_type) = 'TABLE'
UNION ALL
SELECT 'foreign key ' || LOWER(k.constraint_name) || ' of table ' || CASE WHEN k.owner = USER THEN '' ELSE LOWER(k.owner) || '.' END || LOWER(k.table_name),
  'upon', LOWER(r.table_name), CASE WHEN k.owner = USER THEN LOWER(k.table_name) END
FROM all_constraints k JOIN user_constraints r ON r.constraint_name = k.r_constraint_name
WHERE k.constraint_type = 'R' AND k.r_owner = USER
ORDER BY 1, 2
