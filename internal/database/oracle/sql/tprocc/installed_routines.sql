-- The routines with names from TPROC-C. The text of Sledge's routines contains "made by Sledge".
-- The last column says whether the number of parameters matches and the routine is valid.
SELECT LOWER(o.object_name), 'procedure', CASE WHEN s.lines_of_sledge > 0 THEN 'sledge' ELSE 'other' END, LOWER(o.object_name),
  CASE WHEN o.status = 'VALID'
      AND a.argument_count = CASE o.object_name WHEN 'NEWORD' THEN 12 WHEN 'PAYMENT' THEN 33 WHEN 'DELIVERY' THEN 3 WHEN 'OSTAT' THEN 11 ELSE 4 END
    THEN 'true' ELSE 'false' END
FROM user_objects o
LEFT JOIN (SELECT object_id, COUNT(*) AS argument_count FROM user_arguments WHERE position > 0 AND data_level = 0 GROUP BY object_id) a
  ON a.object_id = o.object_id
LEFT JOIN (SELECT name, COUNT(*) AS lines_of_sledge FROM user_source WHERE type = 'PROCEDURE' AND text LIKE '%made by Sledge%' GROUP BY name) s
  ON s.name = o.object_name
WHERE o.object_type = 'PROCEDURE' AND o.object_name IN ('NEWORD', 'PAYMENT', 'DELIVERY', 'OSTAT', 'SLEV')
ORDER BY o.object_name
