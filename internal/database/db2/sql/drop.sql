{{- range .Routines}}
DROP SPECIFIC PROCEDURE {{.}}
/
{{- end}}
-- Drops the variables and the type of the routines' outputs, whose remarks show that they are
-- Sledge's.
BEGIN
  FOR v AS SELECT varname FROM syscat.variables WHERE varschema = CURRENT SCHEMA AND varmodulename IS NULL AND remarks = 'Sledge' DO
    EXECUTE IMMEDIATE 'DROP VARIABLE "' || RTRIM(v.varname) || '"';
  END FOR;
  FOR t AS SELECT typename FROM syscat.datatypes WHERE typeschema = CURRENT SCHEMA AND typemodulename IS NULL AND remarks = 'Sledge' DO
    EXECUTE IMMEDIATE 'DROP TYPE "' || RTRIM(t.typename) || '"';
  END FOR;
END
/
{{- range .Tables}}
DROP TABLE {{.}}
/
{{- end}}
