-- name: version
SELECT version()

-- name: settings
SELECT name, value FROM duckdb_settings()
WHERE name IN ('threads', 'memory_limit', 'max_temp_directory_size', 'checkpoint_threshold', 'preserve_insertion_order', 'default_null_order', 'TimeZone')
