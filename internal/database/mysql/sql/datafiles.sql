-- Scripts for the client mysql or mariadb that build a schema from data files.

-- name: create
-- Creates the tables, in an empty database:
--
--   mysql DATABASE < {{.Script}}
DELIMITER $$
{{range .Statements}}
{{.}}
$$
{{end}}

-- name: load
-- Loads the data files. Run it where the files are; the server must have local_infile enabled. The
-- server skips rows that exist already, with a warning.
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
-- Creates the statistics and the procedures, after the load:
--
--   mysql DATABASE < {{.Script}}
DELIMITER $$
{{range .Statements}}
{{.}}
$$
{{end}}
