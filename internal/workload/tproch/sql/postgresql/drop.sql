-- Somebody who still uses a table is waited for, but not for ever.
SET lock_timeout = '60s'
/
{{- with .Tables}}
DROP TABLE {{range $n, $table := .}}{{if $n}}, {{end}}{{$table}}{{end}}
/
{{- end}}
