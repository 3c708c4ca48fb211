-- name: version
SELECT sqlite_version()

-- name: settings
SELECT 'journal_mode' AS name, journal_mode AS value FROM pragma_journal_mode
UNION ALL SELECT 'synchronous', synchronous FROM pragma_synchronous
UNION ALL SELECT 'busy_timeout', timeout FROM pragma_busy_timeout
UNION ALL SELECT 'cache_size', cache_size FROM pragma_cache_size
UNION ALL SELECT 'page_size', page_size FROM pragma_page_size
