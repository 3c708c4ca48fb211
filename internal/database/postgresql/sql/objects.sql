-- The user-made objects in the database: a description, the bond, a name, and the table that the
-- object is part of. The server's own objects have numbers below 16384. Objects of an extension are
-- dropped with it.
--
-- The bond is 'table' for a table, followed by its name; 'part' for a part of the table of that
-- name; 'upon' for an object that prevents dropping the table of that name, or would be dropped
-- with it; 'routine' for a routine of that signature; and empty for any other object.
WITH RECURSIVE part (oid, root) AS (
  SELECT oid, oid FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND oid >= 16384
  UNION ALL
  SELECT c.oid, p.root FROM part p JOIN pg_inherits i ON i.inhparent = p.oid JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition
), owned (oid, root) AS (
  SELECT d.objid, p.root FROM pg_depend d JOIN part p ON p.oid = d.refobjid
  WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i')
), rowtype (oid, root) AS (
  SELECT unnest(ARRAY[t.oid, t.typarray]), p.root FROM part p JOIN pg_type t ON t.typrelid = p.oid
), thing (class, oid, bond, root) AS (
  SELECT 'pg_class'::regclass, c.oid, CASE WHEN c.oid = p.root THEN 'table' WHEN p.oid IS NULL AND o.oid IS NULL THEN '' ELSE 'part' END, coalesce(p.root, o.root)
  FROM pg_class c LEFT JOIN part p ON p.oid = c.oid LEFT JOIN owned o ON o.oid = c.oid AND c.relkind = 'S'
  WHERE c.relkind NOT IN ('i', 'I', 't') AND c.relpersistence <> 't'
  UNION ALL SELECT 'pg_proc'::regclass, oid, 'routine', NULL FROM pg_proc
  UNION ALL SELECT 'pg_type'::regclass, oid, '', NULL FROM pg_type t
    WHERE typrelid = 0 AND typtype <> 'm' AND NOT EXISTS (SELECT FROM pg_type e WHERE e.typarray = t.oid)
  UNION ALL SELECT 'pg_namespace'::regclass, oid, '', NULL FROM pg_namespace WHERE nspname <> 'public' AND nspname !~ '^pg_(toast|temp)'
  UNION ALL SELECT 'pg_extension'::regclass, oid, '', NULL FROM pg_extension
  UNION ALL SELECT 'pg_language'::regclass, oid, '', NULL FROM pg_language
  UNION ALL SELECT 'pg_collation'::regclass, oid, '', NULL FROM pg_collation
  UNION ALL SELECT 'pg_conversion'::regclass, oid, '', NULL FROM pg_conversion
  UNION ALL SELECT 'pg_operator'::regclass, oid, '', NULL FROM pg_operator
  UNION ALL SELECT 'pg_opfamily'::regclass, oid, '', NULL FROM pg_opfamily
  UNION ALL SELECT 'pg_opclass'::regclass, oid, '', NULL FROM pg_opclass
  UNION ALL SELECT 'pg_cast'::regclass, oid, '', NULL FROM pg_cast
  UNION ALL SELECT 'pg_transform'::regclass, oid, '', NULL FROM pg_transform
  UNION ALL SELECT 'pg_am'::regclass, oid, '', NULL FROM pg_am
  UNION ALL SELECT 'pg_foreign_data_wrapper'::regclass, oid, '', NULL FROM pg_foreign_data_wrapper
  UNION ALL SELECT 'pg_foreign_server'::regclass, oid, '', NULL FROM pg_foreign_server
  UNION ALL SELECT 'pg_event_trigger'::regclass, oid, '', NULL FROM pg_event_trigger
  UNION ALL SELECT 'pg_publication'::regclass, oid, '', NULL FROM pg_publication
  UNION ALL SELECT 'pg_subscription'::regclass, s.oid, '', NULL FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid AND d.datname = current_database()
  UNION ALL SELECT 'pg_default_acl'::regclass, oid, '', NULL FROM pg_default_acl
  UNION ALL SELECT 'pg_ts_config'::regclass, oid, '', NULL FROM pg_ts_config
  UNION ALL SELECT 'pg_ts_dict'::regclass, oid, '', NULL FROM pg_ts_dict
  UNION ALL SELECT 'pg_ts_parser'::regclass, oid, '', NULL FROM pg_ts_parser
  UNION ALL SELECT 'pg_ts_template'::regclass, oid, '', NULL FROM pg_ts_template
  -- Views on tables, foreign keys to them, functions of their rows, tables that inherit from them:
  -- objects for which DROP TABLE without CASCADE fails.
  UNION ALL SELECT CASE WHEN r.oid IS NULL THEN d.classid::regclass ELSE 'pg_class'::regclass END, coalesce(r.ev_class, d.objid), 'upon', p.root
  FROM pg_depend d
  JOIN (SELECT 'pg_class'::regclass AS class, oid, root FROM part UNION ALL SELECT 'pg_type'::regclass, oid, root FROM rowtype) p
    ON d.refclassid = p.class AND d.refobjid = p.oid
  LEFT JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid AND r.rulename = '_RETURN'
  WHERE d.deptype = 'n'
  UNION ALL SELECT 'pg_trigger'::regclass, t.oid, 'upon', p.root FROM pg_trigger t JOIN part p ON p.oid = t.tgrelid WHERE NOT t.tgisinternal
  UNION ALL SELECT 'pg_rewrite'::regclass, r.oid, 'upon', p.root FROM pg_rewrite r JOIN part p ON p.oid = r.ev_class
)
SELECT DISTINCT pg_describe_object(t.class, t.oid, 0), t.bond,
  CASE WHEN t.bond = 'routine' THEN t.oid::regprocedure::text WHEN t.root IS NULL THEN '' ELSE t.root::regclass::text END,
  coalesce((SELECT p.root::regclass::text FROM part p
    LEFT JOIN pg_constraint c ON t.class = 'pg_constraint'::regclass AND c.oid = t.oid
    LEFT JOIN pg_attrdef a ON t.class = 'pg_attrdef'::regclass AND a.oid = t.oid
    WHERE t.bond = 'upon' AND p.oid IN (c.conrelid, a.adrelid)), '')
FROM thing t
WHERE t.oid >= 16384
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = t.class AND d.objid = t.oid AND d.deptype = 'e')
UNION ALL
SELECT 'large objects (' || count(*) || ')', '', '', '' FROM pg_largeobject_metadata HAVING count(*) > 0
ORDER BY 1
