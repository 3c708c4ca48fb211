-- Samples of a series that stand together: their times and values as columns, which take a tenth of
-- the room of rows and are read much faster (repository/columns.go). Table sample has the newest of a
-- job that is being recorded, of one that was killed, and those of jobs from before.
CREATE TABLE samples (
	number   INTEGER PRIMARY KEY,
	series   INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
	first_ms INTEGER NOT NULL,
	last_ms  INTEGER NOT NULL,
	count    INTEGER NOT NULL, -- of samples
	columns  BLOB NOT NULL
) STRICT;
CREATE INDEX samples_of_series ON samples (series);
