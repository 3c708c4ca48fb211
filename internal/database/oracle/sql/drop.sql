-- Drops the tables and routines that are proven to be the schema's, with the view that joins stock
-- and items and the hash clusters of the tables. A table whose locks are disabled cannot be dropped
-- until they are enabled again.
{{- range .Routines}}
DROP PROCEDURE {{.}}
/
{{- end}}
{{- range .Tables}}
{{- if eq . "stock"}}
BEGIN
  FOR v IN (SELECT view_name FROM user_views WHERE view_name = 'STOCK_ITEM') LOOP
    EXECUTE IMMEDIATE 'DROP VIEW ' || v.view_name;
  END LOOP;
END;
/
{{- end}}
BEGIN
  FOR t IN (SELECT table_name FROM user_tables WHERE table_name = UPPER('{{.}}') AND table_lock = 'DISABLED') LOOP
    EXECUTE IMMEDIATE 'ALTER TABLE ' || t.table_name || ' ENABLE TABLE LOCK';
  END LOOP;
END;
/
DROP TABLE {{.}} CASCADE CONSTRAINTS PURGE
/
{{- end}}
BEGIN
  FOR c IN (
    SELECT cluster_name FROM user_clusters
    WHERE cluster_name IN ('CUSTOMER_CLUSTER', 'DISTRICT_CLUSTER', 'ITEM_CLUSTER', 'STOCK_CLUSTER', 'WAREHOUSE_CLUSTER')
      AND cluster_name NOT IN (SELECT cluster_name FROM user_tables WHERE cluster_name IS NOT NULL)
  ) LOOP
    EXECUTE IMMEDIATE 'DROP CLUSTER ' || c.cluster_name;
  END LOOP;
END;
/
