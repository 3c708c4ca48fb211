-- The procedures with names from TPROC-C, one of each name. The text of Sledge's procedures
-- contains "made by Sledge". The last column says whether the names of the parameters match.
-- Babelfish has no sys.parameters.
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
