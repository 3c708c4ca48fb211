-- Statistics for the planner.
ANALYZE
/
-- Refreshes write while queries read: that takes a write-ahead log, and the file
-- remembers it. The build does better without.
PRAGMA journal_mode = WAL
