-- The routines with names from TPROC-C, of which there can be several. The last column says whether
-- the number of parameters matches.
SELECT LOWER(routinename) AS name, CASE routinetype WHEN 'P' THEN 'procedure' ELSE 'function' END AS kind,
  CASE WHEN remarks = 'Sledge' THEN 'sledge' ELSE 'other' END AS maker, '"' || RTRIM(specificname) || '"' AS signature,
  CASE WHEN routinetype = 'P' AND parm_count = CASE routinename WHEN 'NEWORD' THEN 12 WHEN 'PAYMENT' THEN 33 WHEN 'DELIVERY' THEN 4 WHEN 'OSTAT' THEN 11 ELSE 4 END
    THEN 'true' ELSE 'false' END AS fits
FROM syscat.routines
WHERE routineschema = CURRENT SCHEMA AND routinemodulename IS NULL AND routinename IN ('NEWORD', 'PAYMENT', 'DELIVERY', 'OSTAT', 'SLEV')
