-- The scripts that the shell sqlite3 makes a schema by from files of rows.

-- name: create
-- Makes the tables, in a new file:
--
--   sqlite3 FILE < {{.Script}}
.bail on
{{range .Statements}}
{{.}}
;
{{end}}

-- name: load
-- Loads the files of rows, all or none. To be run where the files are:
--
--   sqlite3 FILE < {{.Script}}
.bail on
.mode csv
.separator "{{if .CSV}},{{else}}|{{end}}" "\n"
BEGIN;
{{range .Files -}}
.import {{if $.Header}}--skip 1 {{end}}'{{with $.Program .}}|{{.}}{{else}}{{.Name}}{{end}}' {{.Table}}
{{end -}}
-- The shell has no word for NULL, and takes nothing for an empty text.
{{range $t := .Tables -}}
{{if .Nullable -}}
UPDATE {{.Table}} SET {{range $i, $name := .Nullable}}{{if $i}}, {{end}}{{$name}} = NULLIF({{$name}}, ''){{end}} WHERE '' IN (
{{- range $i, $name := .Nullable}}{{if $i}}, {{end}}{{$name}}{{end}});
{{end -}}
{{end -}}
COMMIT;

-- name: finish
-- Makes the indexes and the statistics, after the load:
--
--   sqlite3 FILE < {{.Script}}
.bail on
{{range .Statements}}
{{.}}
;
{{end}}
