-- Scripts for DuckDB's shell that build a schema from data files.

-- name: create
-- Creates the tables, in a new file:
--
--   duckdb -bail FILE < {{.Script}}
{{range .Statements}}
{{.}}
;
{{end}}

-- name: load
-- Loads the data files, all or none. Run it where the files are:
--
--   duckdb -bail FILE < {{.Script}}
BEGIN;
{{range .Files -}}
COPY {{.Table}} ({{.Names}}) FROM '{{.Name}}' (FORMAT csv, AUTO_DETECT false, DELIMITER '{{if $.CSV}},{{else}}|{{end}}', QUOTE '"', ESCAPE '"', HEADER {{$.Header}}, NULLSTR '', ALLOW_QUOTED_NULLS false, NEW_LINE '\n', COMPRESSION {{$.Compression}});
{{end -}}
COMMIT;

-- name: load_parquet
-- Loads the data files, all or none. Run it where the files are:
--
--   duckdb -bail FILE < {{.Script}}
BEGIN;
{{range .Files -}}
COPY {{.Table}} ({{.Names}}) FROM '{{.Name}}' (FORMAT parquet);
{{end -}}
COMMIT;

-- name: finish
-- Creates the statistics, after the load:
--
--   duckdb -bail FILE < {{.Script}}
{{range .Statements}}
{{.}}
;
{{end}}
