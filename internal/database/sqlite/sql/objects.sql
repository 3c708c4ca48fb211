-- Everything that somebody made in the file: in words, its bond, a name, and the
-- table that it is in itself.
--
-- The bond is 'table' for a table, whose name follows; 'upon' for what would not work
-- without the table of that name, or be lost with it; and empty for all else. SQLite
-- does not tell what a view reads, so a word in its text counts, wherever it stands.
WITH thing AS (
  SELECT type, lower(name) AS name, lower(tbl_name) AS of,
    -- Only words are left of the text, each between two blanks.
    ' ' || lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      sql, char(10), ' '), char(13), ' '), char(9), ' '), '"', ' '), '`', ' '), '[', ' '), ']', ' '), '.', ' '), ',', ' '), ';', ' '), '(', ' '), ')', ' '), '/', ' '), '*', ' ')) || ' ' AS words
  FROM sqlite_master WHERE name NOT GLOB 'sqlite_*' AND lower(tbl_name) <> 'sledge_created' -- says that a build created the file
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
