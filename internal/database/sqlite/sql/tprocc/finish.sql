-- Statistics for the planner.
ANALYZE
/
-- A run has many sessions, of which some read while another writes: that takes a
-- write-ahead log, and the file remembers it. The build does better without,
-- writing each page once, and leaving nothing behind when the disk is full.
PRAGMA journal_mode = WAL
