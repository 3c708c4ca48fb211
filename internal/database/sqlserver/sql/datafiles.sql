-- The scripts that sqlcmd makes a schema by from files of rows. These have fewer columns than
-- their tables, and in another order, so they are loaded into views, which the last script drops.

-- name: create
-- Makes the tables, in an empty database, and a view of each with the columns of its files:
--
--   sqlcmd -b -I -S SERVER -d DATABASE -U LOGIN -i {{.Script}}
{{range .Statements}}
{{.}}
GO
{{end}}
{{range .Tables -}}
CREATE VIEW dbo.sledge_load_{{.Table}} AS SELECT {{.Names}} FROM dbo.{{.Table}}
GO
{{end}}

-- name: load
-- Loads the files of rows, all or none, where the server itself reads them: FOLDER is where it
-- finds them, by its own name and with the account that it runs under. The login needs the right
-- ADMINISTER BULK OPERATIONS, on Linux that of sysadmin.
{{- with .Scripts.LoadShell}}
-- Where that cannot be, {{.}} loads them from any machine.
{{- end}}
{{- if .Compressed}}
-- The server reads no compressed files: first run {{.Unpack}} in the folder.
{{- end}}
{{- if .CSV}}
-- It takes SQL Server 2017 or later.
{{- end}}
--
--   sqlcmd -b -I -S SERVER -d DATABASE -U LOGIN -v FOLDER="/data" -i {{.Script}}
SET XACT_ABORT ON;
-- In the files, dates look like 2026-01-31, which not every language of a login reads so.
SET DATEFORMAT ymd;
BEGIN TRANSACTION;
{{range .Files -}}
BULK INSERT dbo.sledge_load_{{.Table}} FROM '$(FOLDER)/{{.Plain}}' WITH (
{{- if $.CSV}}FORMAT = 'CSV', FIELDQUOTE = '"', FIELDTERMINATOR = ',', ROWTERMINATOR = '0x0a'{{if $.Header}}, FIRSTROW = 2{{end}}
{{- else}}FIELDTERMINATOR = '|', ROWTERMINATOR = '{{if $.Behind}}0x7c0a{{else}}0x0a{{end}}'{{end -}}
, MAXERRORS = 0{{if $.Connection.Heaps}}, TABLOCK{{end}});
{{end -}}
COMMIT TRANSACTION;
GO

-- name: load_shell
#!/bin/sh
# Loads the files of rows by the program bcp, from any machine: each file whole, or nothing of it.
# All options go to bcp, which asks for the password of the login:
#
#   sh {{.Script}} -S SERVER -d DATABASE -U LOGIN
#
# -u trusts a certificate that nobody has signed.
set -eu
cd "$(dirname "$0")"
{{range .Files -}}
{{if $.Compressed}}{{$.Decompress}} {{.Name}} > {{.Plain}}
{{end -}}
bcp dbo.sledge_load_{{.Table}} in {{.Plain}} -c -t '|' -r {{if $.Behind}}0x7c0a{{else}}0x0a{{end}} -m 1 -a 16000{{if $.Connection.Heaps}} -h TABLOCK{{end}} "$@"
{{if $.Compressed}}rm {{.Plain}}
{{end -}}
{{end}}

-- name: load_windows
@rem Loads the files of rows by the program bcp, from any machine: each file whole, or nothing of it.
@rem All options go to bcp, which asks for the password of the login:
@rem
@rem   {{.Script}} -S SERVER -d DATABASE -U LOGIN
@rem
@rem -T logs in as whoever runs it, and -u trusts a certificate that nobody has signed.
{{- if .Compressed}}
@rem First unpack the files: {{.Unpack}}
{{- end}}
cd /d "%~dp0" || exit /b 1
{{range .Files -}}
bcp dbo.sledge_load_{{.Table}} in {{.Plain}} -c -t "|" -r {{if $.Behind}}0x7c0a{{else}}0x0a{{end}} -m 1 -a 16000{{if $.Connection.Heaps}} -h TABLOCK{{end}} %* || exit /b 1
{{end}}

-- name: finish
-- Makes the indexes, the statistics and the procedures, after the load, when all rows are there:
--
--   sqlcmd -b -I -S SERVER -d DATABASE -U LOGIN -i {{.Script}}
{{range .Tables -}}
IF (SELECT COUNT_BIG(*) FROM dbo.{{.Table}}) <> {{.Rows}}
  THROW 50001, '{{.Table}} has not the {{.Rows}} rows of its files: make and load the tables anew', 1;
{{end -}}
GO
{{range .Tables -}}
DROP VIEW dbo.sledge_load_{{.Table}}
GO
{{end}}
{{range .Statements}}
{{.}}
GO
{{end}}
