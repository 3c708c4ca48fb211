-- Somebody who still uses a table is waited for, but not for a day.
SET SESSION lock_wait_timeout = 60
/
{{- with .Tables}}
DROP TABLE {{range $n, $table := .}}{{if $n}}, {{end}}{{$table}}{{end}}
/
{{- end}}
