-- Statistics for the planner.
ANALYZE
/
-- The rows are in the file, and not in the log, when users begin.
CHECKPOINT
