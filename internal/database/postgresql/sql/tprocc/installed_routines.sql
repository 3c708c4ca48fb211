-- The routines of TPROC-C with their arguments: N is a number, S text, D a time. Other routines may
-- have the same names. The text of Sledge's routines contains "made by Sledge". The last column
-- says whether the arguments match.
SELECT lower(proname), CASE prokind WHEN 'p' THEN 'procedure' ELSE 'function' END,
  CASE WHEN prosrc LIKE '%made by Sledge%' THEN 'sledge' ELSE 'other' END, oid::regprocedure::text, 'true'
FROM pg_proc
JOIN (VALUES
  ('f', 'neword', 'NNNNNN'), ('f', 'payment', 'NNNNNNNSSN'), ('f', 'delivery', 'NN'), ('f', 'slev', 'NNN'), ('f', 'ostat', 'NNNNS'),
  ('f', 'dbms_random', 'NN'),
  ('p', 'neword', 'NNNNNNSSNNND'), ('p', 'payment', 'NNNNNNSSNSSSSSSSSSSSSSSSSSSDNNNSD'), ('p', 'delivery', 'NND'), ('p', 'slev', 'NNNN'),
  ('p', 'ostat', 'NNNNSSSNNDNS')
) AS known (kind, name, arguments) ON prokind = known.kind::"char" AND proname = known.name
WHERE pg_function_is_visible(pg_proc.oid) AND pronamespace <> 'pg_catalog'::regnamespace
  AND arguments = (SELECT string_agg(t.typcategory, '' ORDER BY a.n) FROM unnest(proargtypes) WITH ORDINALITY AS a (oid, n) JOIN pg_type t ON t.oid = a.oid)
ORDER BY proname, prokind
