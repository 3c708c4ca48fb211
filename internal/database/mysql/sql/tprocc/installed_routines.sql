SELECT LOWER(routine_name) AS name, LOWER(routine_type) AS kind, IF(routine_comment = 'Sledge', 'sledge', 'other') AS maker
FROM information_schema.routines
WHERE routine_schema = DATABASE() AND routine_name IN ('neword', 'payment', 'delivery', 'ostat', 'slev')
