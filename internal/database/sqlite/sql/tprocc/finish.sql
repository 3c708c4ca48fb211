-- Statistics for the planner.
ANALYZE
/
-- In a run, sessions read while another writes, which requires a write-ahead log. The file stores
-- this setting. The build is faster without a log, because it writes each page once, and leaves no
-- log behind if the disk is full.
PRAGMA journal_mode = WAL
