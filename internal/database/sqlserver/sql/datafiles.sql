-- Scripts for sqlcmd that build a schema from data files. The files have fewer columns than their
-- tables, in another order, so the scripts load them into views, which the last script drops.

-- name: create
-- Creates the tables, in an empty database, and for each a view with the columns of its files:
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
-- Loads the data files, all or none. The server reads them itself: FOLDER is their folder on the
-- server's machine, which the server's account must be able to read. The login needs the permission
-- ADMINISTER BULK OPERATIONS, or on Linux the role sysadmin.
{{- with .Scripts.LoadShell}}
-- If that is not possible, {{.}} loads them from any machine.
{{- end}}
{{- if .Compressed}}
-- The server cannot read compressed files: first run {{.Unpack}} in the folder.
{{- end}}
{{- if .CSV}}
-- It requires SQL Server 2017 or later.
{{- end}}
--
--   sqlcmd -b -I -S SERVER -d DATABASE -U LOGIN -v FOLDER="/data" -i {{.Script}}
SET XACT_ABORT ON;
-- Dates in the files look like 2026-01-31, which some languages of a login read in another order.
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
# Loads the data files with the program bcp, from any machine: each file completely, or nothing of it.
# All options are for bcp, which asks for the password of the login:
#
#   sh {{.Script}} -S SERVER -d DATABASE -U LOGIN
#
# -u trusts a certificate that no authority has signed.
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
-- Creates the indexes, the statistics and the procedures, after the load:
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
