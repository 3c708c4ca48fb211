-- name: setting_sources
SELECT LOWER(variable_name) AS name, LOWER(global_value_origin) AS source FROM information_schema.system_variables
WHERE global_value_origin <> 'COMPILE-TIME' AND global_value <> default_value
