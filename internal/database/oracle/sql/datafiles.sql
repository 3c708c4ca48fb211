-- Scripts for SQL*Plus that build a schema from data files. The user who runs them owns the schema,
-- and needs CREATE SESSION, TABLE, VIEW, PROCEDURE and CLUSTER, and a quota.

-- name: create
-- Creates the tables. Run it as the user who will own them:
--
--   sqlplus USER@//HOST/SERVICE @{{.Script}}
WHENEVER SQLERROR EXIT FAILURE ROLLBACK
SET DEFINE OFF SQLBLANKLINES ON
{{range .Statements}}
{{.}}
/
{{end}}
EXIT

-- name: load
-- Loads the data files, all or none, from a folder on the server. First an administrator declares
-- the folder:
--
--   CREATE DIRECTORY sledge_files AS '/data';
--   GRANT READ ON DIRECTORY sledge_files TO USER;
{{- if .Compressed}}
--
-- The files must be uncompressed: first run {{.Unpack}} in the folder.
{{- end}}
--
--   sqlplus USER@//HOST/SERVICE @{{.Script}}
WHENEVER SQLERROR EXIT FAILURE ROLLBACK
SET DEFINE OFF SQLBLANKLINES ON
ALTER SESSION SET NLS_NUMERIC_CHARACTERS = '.,'
/
BEGIN
  FOR t IN (SELECT table_name FROM user_external_tables WHERE table_name LIKE 'SLEDGE!_LOAD!_%' ESCAPE '!') LOOP
    EXECUTE IMMEDIATE 'DROP TABLE ' || t.table_name;
  END LOOP;
END;
/
{{range .Tables -}}
CREATE TABLE sledge_load_{{.Table}} (
{{- range $i, $c := .Columns}}{{if $i}},{{end}}
  {{$c.Name}} VARCHAR2(1000)
{{- end}}
) ORGANIZATION EXTERNAL (
  TYPE ORACLE_LOADER DEFAULT DIRECTORY sledge_files
  ACCESS PARAMETERS (
    RECORDS DELIMITED BY '\n' CHARACTERSET AL32UTF8{{if $.Header}} SKIP 1{{end}} NOBADFILE NODISCARDFILE NOLOGFILE
    FIELDS TERMINATED BY '{{if $.CSV}},{{else}}|{{end}}' OPTIONALLY ENCLOSED BY '"' NOTRIM MISSING FIELD VALUES ARE NULL (
    {{- range $i, $c := .Columns}}{{if $i}},{{end}}
      {{$c.Name}} CHAR(1000)
    {{- end}}
    )
  )
  LOCATION ({{range $i, $name := .Files}}{{if $i}}, {{end}}'{{$name}}'{{end}})
) REJECT LIMIT 0
/
{{end -}}
{{range .Tables -}}
ALTER SESSION SET NLS_DATE_FORMAT = '{{if .Days}}YYYY-MM-DD{{else}}YYYY-MM-DD HH24:MI:SS{{end}}'
/
INSERT INTO {{.Table}} ({{.Names}}) SELECT {{.Names}} FROM sledge_load_{{.Table}}
/
{{end -}}
COMMIT
/
BEGIN
  FOR t IN (SELECT table_name FROM user_external_tables WHERE table_name LIKE 'SLEDGE!_LOAD!_%' ESCAPE '!') LOOP
    EXECUTE IMMEDIATE 'DROP TABLE ' || t.table_name;
  END LOOP;
END;
/
EXIT

-- name: finish
-- Creates the indexes, the statistics and the procedures, after the load:
--
--   sqlplus USER@//HOST/SERVICE @{{.Script}}
WHENEVER SQLERROR EXIT FAILURE ROLLBACK
SET DEFINE OFF SQLBLANKLINES ON
{{range .Statements}}
{{.}}
/
{{end}}
EXIT
