{{- range .Tables}}
DROP TABLE {{.}}
/
{{- end}}
