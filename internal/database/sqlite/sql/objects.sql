-- The user-made objects in the file: a description, the bond, a name, and the table that the object
-- is part of.
--
-- The bond is 'table' for a table, followed by its name; 'upon' for an object that would not work
-- without the table of that name, or would be dropped with it; and empty for any other object.
-- SQLite does not record which tables a view reads, so any occurrence of a table's name in its text
-- counts.
WITH thing AS (
  SELECT type, lower(name) AS name, lower(tbl_name) AS of,
    -- Reduces the text to words, each between two spaces.
    ' ' || lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      sql, char(10), ' '), char(13), ' '), char(9), ' '), '"', ' '), '`', ' '), '[', ' '), ']', ' '), '.', ' '), ',', ' '), ';', ' '), '(', ' '), ')', ' '), '/', ' '), '*', ' ')) || ' ' AS words
  FROM sqlite_master WHERE name NOT GLOB 'sqlite_*' AND lower(tbl_name) <> 'sledge_created' -- shows that a build created the file
)
SELECT type || ' ' || name AS what, CASE type WHEN 'table' THEN 'table' ELSE '' END AS bond, CASE type WHEN 'table' THEN name ELSE '' END AS name, '' AS part_of
FROM thing WHERE type IN ('table', 'view')
UNION ALL
SELECT v.type || ' ' || v.name, 'upon', t.name, ''
FROM thing v JOIN thing t ON t.type = 'table' AND (v.words LIKE '% ' || replace(t.name, '_', '\_') || ' %' ESCAPE '\' OR v.type = 'trigger' AND v.of = t.name)
WHERE v.type IN ('view', 'trigger')
UNION ALL
SELECT 'foreign key of table ' || t.name, 'upon', lower(k."table"), t.name
FROM thing t JOIN pragma_foreign_key_list(t.name) k WHERE t.type = 'table'
UNION ALL
SELECT CASE application_id WHEN 1399612519 THEN 'Sledge''s own jobs' WHEN 1399612499 THEN 'Sledge''s own settings' ELSE 'the mark of another program' END, '', '', ''
FROM pragma_application_id WHERE application_id <> 0
UNION ALL
SELECT 'the version number of another program', '', '', '' FROM pragma_user_version JOIN pragma_application_id
WHERE user_version <> 0 AND application_id = 0
ORDER BY 1
