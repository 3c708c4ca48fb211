-- What has the name of a procedure of TPROC-C, of which there can be only one. Those that
-- Sledge made say so in their text. What comes last says whether it has the parameters, by
-- name; Babelfish has no sys.parameters.
SELECT LOWER(o.name) AS name, 'procedure' AS kind, CASE WHEN m.[definition] LIKE '%made by Sledge%' THEN 'sledge' ELSE 'other' END AS maker,
  '[' + o.name + ']' AS signature,
  CASE WHEN (SELECT COUNT(*) FROM sys.all_parameters p WHERE p.object_id = o.object_id) = known.parameter_count
    AND EXISTS (SELECT 1 FROM sys.all_parameters p WHERE p.object_id = o.object_id AND LOWER(p.name) = known.first_parameter) THEN 'true' ELSE 'false' END AS fits
FROM sys.objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id AND s.name = 'dbo'
JOIN (VALUES ('neword', 6, '@no_w_id'), ('payment', 9, '@p_w_id'), ('delivery', 3, '@d_w_id'), ('ostat', 5, '@os_w_id'), ('slev', 3, '@st_w_id')) AS known (name, parameter_count, first_parameter)
  ON known.name = LOWER(o.name)
LEFT JOIN sys.sql_modules m ON m.object_id = o.object_id
WHERE o.type = 'P'
ORDER BY o.name
