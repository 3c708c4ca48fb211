-- The routines with names from TPROC-C that the user may not call, spelled as in
-- installed_routines.sql.
SELECT oid::regprocedure::text
FROM pg_proc
WHERE proname IN ('neword', 'payment', 'delivery', 'slev', 'ostat') AND NOT has_function_privilege(oid, 'EXECUTE')
