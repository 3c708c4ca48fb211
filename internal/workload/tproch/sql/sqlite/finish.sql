-- Statistics for the planner.
ANALYZE
/
-- Refreshes write while queries read, which requires a write-ahead log. The setting is stored in
-- the file. It comes after the build, which is faster without it.
PRAGMA journal_mode = WAL
