-- Somebody who still uses a table is waited for, but not for ever.
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
