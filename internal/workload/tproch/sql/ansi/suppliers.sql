-- How many suppliers there are, by which a schema tells its scale factor.
SELECT COUNT(*) FROM supplier
