-- Wait for sessions that still use a table, but not for the default of a day.
SET SESSION lock_wait_timeout = 60
/
-- The tables refer to each other. A check before has shown that nothing else refers to them.
SET SESSION foreign_key_checks = 0
/
{{- with .Tables}}
DROP TABLE {{range $n, $table := .}}{{if $n}}, {{end}}{{$table}}{{end}}
/
{{- end}}
SET SESSION foreign_key_checks = 1
