-- Wait for sessions that still use a table, but not forever.
SET lock_timeout = '60s'
/
{{- with .Tables}}
DROP TABLE {{range $n, $table := .}}{{if $n}}, {{end}}{{$table}}{{end}}
/
{{- end}}
