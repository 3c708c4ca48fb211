-- Reads plans from the tables that EXPLAIN writes, as described in "Explain tables" of IBM's
-- manual.

-- The schema of the tables that EXPLAIN writes: the user's own, or else SYSTOOLS.
-- name: schema
SELECT RTRIM(tabschema) FROM syscat.tables
WHERE tabname = 'EXPLAIN_STREAM' AND tabschema IN (SESSION_USER, 'SYSTOOLS')
ORDER BY CASE tabschema WHEN 'SYSTOOLS' THEN 1 ELSE 0 END
FETCH FIRST 1 ROW ONLY

-- Creates them.
-- name: install
CALL SYSPROC.SYSINSTALLOBJECTS('EXPLAIN', 'C', CAST(NULL AS VARCHAR(128)), CAST(NULL AS VARCHAR(128)))

-- The latest plan of this session's user: the kind of row, its operator, the operator that it leads
-- to, its name, details, and a number. The number of an operator is its cost in timerons, that of a
-- stream its rows. A stream from a table or an index has the operator -1. The index of a key has
-- its table's name here, because the server names it by the time of its creation.
-- name: rows
WITH latest (requester, moment) AS (
  SELECT explain_requester, MAX(explain_time) FROM "{{.}}".explain_statement
  WHERE explain_requester = SESSION_USER AND querytag = 'sledge' GROUP BY explain_requester
)
SELECT 'operator' AS what, o.operator_id AS id, 0 AS target, RTRIM(o.operator_type) AS name, '' AS more, o.total_cost AS number
FROM latest JOIN "{{.}}".explain_operator o ON o.explain_requester = requester AND o.explain_time = moment
UNION ALL
SELECT 'stream', s.source_id, s.target_id, CASE i.indschema WHEN 'SYSIBM' THEN 'key of ' || LOWER(i.tabname) ELSE COALESCE(LOWER(s.object_name), '') END, s.source_type, s.stream_count
FROM latest JOIN "{{.}}".explain_stream s ON s.explain_requester = requester AND s.explain_time = moment
LEFT JOIN syscat.indexes i ON i.indschema = s.object_schema AND i.indname = s.object_name
UNION ALL
SELECT 'argument', a.operator_id, 0, RTRIM(a.argument_type), COALESCE(a.argument_value, ''), 0
FROM latest JOIN "{{.}}".explain_argument a ON a.explain_requester = requester AND a.explain_time = moment
WHERE a.argument_type IN ('OUTERJN', 'EARLYOUT')
UNION ALL
SELECT 'predicate', p.operator_id, p.predicate_id, RTRIM(p.how_applied), RTRIM(CAST(SUBSTR(p.predicate_text, 1, 1000) AS VARCHAR(1000))), p.filter_factor
FROM latest JOIN "{{.}}".explain_predicate p ON p.explain_requester = requester AND p.explain_time = moment
