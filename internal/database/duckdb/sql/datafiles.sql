-- The scripts that DuckDB's shell makes a schema by from files of rows.

-- name: create
-- Makes the tables, in a new file:
--
--   duckdb -bail FILE < {{.Script}}
{{range .Statements}}
{{.}}
;
{{end}}

-- name: load
-- Loads the files of rows, all or none. To be run where the files are:
--
--   duckdb -bail FILE < {{.Script}}
BEGIN;
{{range .Files -}}
COPY {{.Table}} ({{.Names}}) FROM '{{.Name}}' (FORMAT csv, AUTO_DETECT false, DELIMITER '{{if $.CSV}},{{else}}|{{end}}', QUOTE '"', ESCAPE '"', HEADER {{$.Header}}, NULLSTR '', ALLOW_QUOTED_NULLS false, NEW_LINE '\n', COMPRESSION {{$.Compression}});
{{end -}}
COMMIT;

-- name: load_parquet
-- Loads the files of rows, all or none. To be run where the files are:
--
--   duckdb -bail FILE < {{.Script}}
BEGIN;
{{range .Files -}}
COPY {{.Table}} ({{.Names}}) FROM '{{.Name}}' (FORMAT parquet);
{{end -}}
COMMIT;

-- name: finish
-- Makes the statistics, after the load:
--
--   duckdb -bail FILE < {{.Script}}
{{range .Statements}}
{{.}}
;
{{end}}
