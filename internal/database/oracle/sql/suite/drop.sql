{{- range .Tables}}
DROP TABLE {{.}} PURGE
/
{{- end}}
