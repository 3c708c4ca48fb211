-- Scripts for the shell sqlite3 that build a schema from data files.

-- name: create
-- Creates the tables, in a new file:
--
--   sqlite3 FILE < {{.Script}}
.bail on
{{range .Statements}}
{{.}}
;
{{end}}

-- name: load
-- Loads the data files, all or none. Run it where the files are:
--
--   sqlite3 FILE < {{.Script}}
.bail on
.mode csv
.separator "{{if .CSV}},{{else}}|{{end}}" "\n"
BEGIN;
{{range .Files -}}
.import {{if $.Header}}--skip 1 {{end}}'{{with $.Program .}}|{{.}}{{else}}{{.Name}}{{end}}' {{.Table}}
{{end -}}
-- The shell has no notation for NULL, and reads an empty field as an empty text.
{{range $t := .Tables -}}
{{if .Nullable -}}
UPDATE {{.Table}} SET {{range $i, $name := .Nullable}}{{if $i}}, {{end}}{{$name}} = NULLIF({{$name}}, ''){{end}} WHERE '' IN (
{{- range $i, $name := .Nullable}}{{if $i}}, {{end}}{{$name}}{{end}});
{{end -}}
{{end -}}
COMMIT;

-- name: finish
-- Creates the indexes and the statistics, after the load:
--
--   sqlite3 FILE < {{.Script}}
.bail on
{{range .Statements}}
{{.}}
;
{{end}}
