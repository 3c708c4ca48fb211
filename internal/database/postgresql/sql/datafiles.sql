-- Scripts for psql that build a schema from data files.

-- name: create
-- Creates the tables. Run it as the owner of the schema, in an empty database:
--
--   psql -d DATABASE -f {{.Script}}
\set ON_ERROR_STOP on
{{range .Statements}}
{{.}}
;
{{end}}

-- name: load
-- Loads the data files, all or none. Run it where the files are:
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
-- Creates the indexes, the statistics and the routines, after the load:
--
--   psql -d DATABASE -f {{.Script}}
\set ON_ERROR_STOP on
{{range .Statements}}
{{.}}
;
{{end}}
