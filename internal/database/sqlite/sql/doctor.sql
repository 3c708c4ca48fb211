-- What the checks of this database read: names and values.
--
-- name: settings
SELECT 'journal_mode' AS name, journal_mode AS value FROM pragma_journal_mode
UNION ALL SELECT 'synchronous', synchronous FROM pragma_synchronous
UNION ALL SELECT 'busy_timeout', timeout FROM pragma_busy_timeout
UNION ALL SELECT 'page_size', page_size FROM pragma_page_size

-- Each session has a cache of its own, whose size is in KiB if it is negative, and otherwise in pages.
-- name: place
SELECT 'memory' AS name, 0 AS value
UNION ALL SELECT 'each', CASE WHEN c.cache_size < 0 THEN -1024 * c.cache_size ELSE c.cache_size * p.page_size END
  FROM pragma_cache_size AS c, pragma_page_size AS p

-- name: paths
SELECT 'data' AS name, file AS value FROM pragma_database_list WHERE name = 'main'
UNION ALL SELECT 'log', ''

-- name: schema
SELECT 'size' AS name, c.page_count * p.page_size AS value FROM pragma_page_count AS c, pragma_page_size AS p
UNION ALL SELECT 'tables', count(*) FROM sqlite_master WHERE type = 'table'
