-- Waits for sessions that still use a table, but not forever.
SET LOCK_TIMEOUT 60000
/
{{- range .Routines}}
DROP PROCEDURE dbo.{{.}}
/
{{- end}}
{{- range .Tables}}
DROP TABLE {{.}}
/
{{- end}}
SET LOCK_TIMEOUT -1
