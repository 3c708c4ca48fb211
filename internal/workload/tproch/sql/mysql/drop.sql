-- Somebody who still uses a table is waited for, but not for a day.
SET SESSION lock_wait_timeout = 60
/
-- The tables refer to each other; that nothing else refers to them has been looked at.
SET SESSION foreign_key_checks = 0
/
{{- with .Tables}}
DROP TABLE {{range $n, $table := .}}{{if $n}}, {{end}}{{$table}}{{end}}
/
{{- end}}
SET SESSION foreign_key_checks = 1
