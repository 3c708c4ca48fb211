-- Statistics for the planner.
ANALYZE
/
-- Writes the rows from the log into the file before users begin.
CHECKPOINT
