-- The number of suppliers, which shows the scale factor of a schema.
SELECT COUNT(*) FROM supplier
