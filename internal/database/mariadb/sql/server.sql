-- name: settings
SELECT LOWER(variable_name) AS name, global_value AS value
FROM information_schema.system_variables
WHERE global_value_origin <> 'COMPILE-TIME' AND global_value <> default_value AND variable_name NOT LIKE '%PASSWORD%'
ORDER BY name
