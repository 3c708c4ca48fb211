-- The scripts that psql makes a schema by from files of rows.

-- name: create
-- Makes the tables, for the owner of the schema and in an empty database:
--
--   psql -d DATABASE -f {{.Script}}
\set ON_ERROR_STOP on
{{range .Statements}}
{{.}}
;
{{end}}

-- name: load
-- Loads the files of rows, all or none. To be run where the files are:
--
--   psql -d DATABASE -f {{.Script}}
\set ON_ERROR_STOP on
-- The times in the files are in UTC.
SET timezone = 'UTC';
BEGIN;
{{range .Files -}}
\copy {{.Table}} ({{.Names}}) FROM {{with $.Program .}}PROGRAM '{{.}}'{{else}}'{{.Name}}'{{end}} WITH (FORMAT {{if $.CSV}}csv, HEADER {{$.Header}}{{else}}text, DELIMITER '|', NULL ''{{end}}, ENCODING 'UTF8')
{{end -}}
COMMIT;

-- name: finish
-- Makes the indexes, the statistics and the routines, after the load:
--
--   psql -d DATABASE -f {{.Script}}
\set ON_ERROR_STOP on
{{range .Statements}}
{{.}}
;
{{end}}
