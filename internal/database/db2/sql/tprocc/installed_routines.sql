-- What has the name of a routine of TPROC-C, of which there can be several. What comes last
-- says whether it has as many parameters.
SELECT LOWER(routinename) AS name, CASE routinetype WHEN 'P' THEN 'procedure' ELSE 'function' END AS kind,
  CASE WHEN remarks = 'Sledge' THEN 'sledge' ELSE 'other' END AS maker, '"' || RTRIM(specificname) || '"' AS signature,
  CASE WHEN routinetype = 'P' AND parm_count = CASE routinename WHEN 'NEWORD' THEN 12 WHEN 'PAYMENT' THEN 33 WHEN 'DELIVERY' THEN 4 WHEN 'OSTAT' THEN 11 ELSE 4 END
    THEN 'true' ELSE 'false' END AS fits
FROM syscat.routines
WHERE routineschema = CURRENT SCHEMA AND routinemodulename IS NULL AND routinename IN ('NEWORD', 'PAYMENT', 'DELIVERY', 'OSTAT', 'SLEV')
