SELECT cf.numberx FROM special_facility sf
JOIN call_forwarding cf ON cf.s_id = sf.s_id AND cf.sf_type = sf.sf_type
WHERE sf.s_id = :s_id AND sf.sf_type = :sf_type AND sf.is_active = 1
  AND cf.start_time <= :start_time AND cf.end_time > :end_time
