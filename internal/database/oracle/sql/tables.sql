-- The tables, views and the like in the user's schema, with a row for each column. The word NULL
-- stands for a missing column, because Oracle has no empty text.
SELECT LOWER(o.object_name), LOWER(c.column_name), LOWER(o.object_type), LOWER(SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'))
FROM user_objects o
LEFT JOIN user_tab_columns c ON c.table_name = o.object_name AND o.object_type IN ('TABLE', 'VIEW', 'MATERIALIZED VIEW')
WHERE o.object_type IN ('TABLE', 'VIEW', 'MATERIALIZED VIEW', 'SEQUENCE', 'SYNONYM', 'TYPE', 'PACKAGE', 'FUNCTION', 'PROCEDURE', 'CLUSTER')
  AND o.generated = 'N'
ORDER BY o.object_name, CASE o.object_type WHEN 'TABLE' THEN 1 ELSE 2 END, c.column_id
