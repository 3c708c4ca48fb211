-- Waits for sessions that still use a table, but not the default of a day.
SET SESSION lock_wait_timeout = 60
/
{{- range .Routines}}
DROP PROCEDURE {{.}}
/
{{- end}}
{{- with .Tables}}
DROP TABLE {{range $n, $table := .}}{{if $n}}, {{end}}{{$table}}{{end}}
/
{{- end}}
