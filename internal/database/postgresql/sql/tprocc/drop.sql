-- Waits for sessions that still use a table, but not forever.
SET lock_timeout = '60s'
/
{{- range .Routines}}
DROP ROUTINE {{.}}
/
{{- end}}
{{- with .Tables}}
DROP TABLE {{range $n, $table := .}}{{if $n}}, {{end}}{{$table}}{{end}}
/
{{- end}}
