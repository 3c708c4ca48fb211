-- The routines with names from TPROC-C, one of each name. The last column says whether the number
-- of parameters matches.
SELECT LOWER(r.routine_name) AS name, LOWER(r.routine_type) AS kind, IF(r.routine_comment = 'Sledge', 'sledge', 'other') AS maker,
  CONCAT('`', REPLACE(r.routine_name, '`', '``'), '`') AS signature,
  IF(r.routine_type = 'PROCEDURE' AND (SELECT COUNT(*) FROM information_schema.parameters p
      WHERE p.specific_schema = DATABASE() AND p.routine_type = 'PROCEDURE' AND p.specific_name = r.specific_name)
    = ELT(FIELD(LOWER(r.routine_name), 'neword', 'payment', 'delivery', 'ostat', 'slev'), 12, 33, 3, 11, 4), 'true', 'false') AS fits
FROM information_schema.routines r
WHERE r.routine_schema = DATABASE() AND r.routine_type = 'PROCEDURE' AND LOWER(r.routine_name) IN ('neword', 'payment', 'delivery', 'ostat', 'slev')
