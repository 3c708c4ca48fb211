SELECT LOWER(table_name) AS table_name, LOWER(column_name) AS column_name
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'
ORDER BY table_name, ordinal_position
