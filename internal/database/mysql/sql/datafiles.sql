-- The scripts that the client mysql, or mariadb, makes a schema by from files of
-- rows.

-- name: create
-- Makes the tables, in an empty database:
--
--   mysql DATABASE < {{.Script}}
DELIMITER $$
{{range .Statements}}
{{.}}
$$
{{end}}

-- name: load
-- Loads the files of rows. To be run where the files are, on a server that has
-- local_infile on. Rows that are there already are passed over, and the warnings
-- say so.
--
--   mysql --local-infile=1 --show-warnings DATABASE < {{.Script}}
{{range .Files}}
{{if $.Compressed -}}
system mkfifo -m 600 {{.Name}}.pipe && ({{$.Decompress}} {{.Name}} > {{.Name}}.pipe &)
{{end -}}
LOAD DATA LOCAL INFILE '{{.Name}}{{if $.Compressed}}.pipe{{end}}' INTO TABLE {{.Table}} CHARACTER SET utf8mb4
{{- if $.CSV}}
  FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' ESCAPED BY '' LINES TERMINATED BY x'0A'{{if $.Header}} IGNORE 1 LINES{{end}}
{{- else}}
  FIELDS TERMINATED BY '|' ESCAPED BY x'5C' LINES TERMINATED BY {{if $.Behind}}x'7C0A'{{else}}x'0A'{{end}}
{{- end}}
  ({{range $i, $c := .Columns}}{{if $i}}, {{end}}{{if $c.Null}}@{{end}}{{$c.Name}}{{end}})
  {{- range $i, $name := .Nullable}}{{if $i}},{{else}}
  SET{{end}} {{$name}} = NULLIF(@{{$name}}, ''){{end}};
{{- if $.Compressed}}
system rm -f {{.Name}}.pipe
{{- end}}
{{end}}

-- name: finish
-- Makes the statistics and the procedures, after the load:
--
--   mysql DATABASE < {{.Script}}
DELIMITER $$
{{range .Statements}}
{{.}}
$$
{{end}}
