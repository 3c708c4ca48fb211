-- Scripts for Db2's command line processor that build a schema from data files.

-- name: create
-- Creates the tables, in an existing database:
--
--   db2 connect to DATABASE && db2 -td@ -vsf {{.Script}}
{{range .Statements}}
{{.}}
@
{{end}}

-- name: load
-- Loads the data files. Run it where the files are, which may be any client's machine:
--
--   db2 connect to DATABASE && db2 -td@ -vsf {{.Script}}
{{range .Files -}}
{{if $.Compressed -}}
!{{$.Decompress}} {{.Name}} > {{.Name}}.rows
@
{{end -}}
LOAD CLIENT FROM {{.Name}}{{if $.Compressed}}.rows{{end}} OF DEL MODIFIED BY CODEPAGE=1208 COLDEL{{if $.CSV}},{{else}}|{{end}} TIMESTAMPFORMAT="YYYY-MM-DD HH:MM:SS" DATEFORMAT="YYYY-MM-DD"
  INSERT INTO {{.Table}} ({{.Names}}) NONRECOVERABLE
@
{{end}}

-- name: finish
-- Creates the indexes, the statistics and the procedures, after the load:
--
--   db2 connect to DATABASE && db2 -td@ -vsf {{.Script}}
{{range .Statements}}
{{.}}
@
{{end}}
