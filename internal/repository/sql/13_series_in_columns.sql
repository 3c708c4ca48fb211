-- Samples of a series as columns: their times and values take a quarter of the space of rows at most,
-- and are read in a tenth of the time (repository/columns.go). Table sample has the newest samples of a
-- job that is being recorded or was killed, and all samples of older jobs.
CREATE TABLE samples (
	number   INTEGER PRIMARY KEY,
	series   INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
	first_ms INTEGER NOT NULL,
	last_ms  INTEGER NOT NULL,
	count    INTEGER NOT NULL, -- of samples
	columns  BLOB NOT NULL
) STRICT;
CREATE INDEX samples_of_series ON samples (series);
