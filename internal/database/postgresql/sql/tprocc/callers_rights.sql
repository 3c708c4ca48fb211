-- The routines with names from TPROC-C that run with the rights of the user who calls them.
SELECT oid::regprocedure::text
FROM pg_proc
WHERE proname IN ('neword', 'payment', 'delivery', 'slev', 'ostat') AND pg_function_is_visible(oid) AND NOT prosecdef
