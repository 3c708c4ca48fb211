-- Times are milliseconds since 1970 in UTC, lengths of time are nanoseconds.

-- One row for each job; the newest has the highest number. Numbers are never
-- used twice, so that nothing can be recorded into another job than was meant.
CREATE TABLE job (
	number           INTEGER PRIMARY KEY AUTOINCREMENT,
	id               TEXT NOT NULL UNIQUE,
	action           TEXT NOT NULL,
	database         TEXT NOT NULL,
	workload         TEXT NOT NULL,
	spec             TEXT NOT NULL, -- JSON, without secrets
	kinds            TEXT NOT NULL, -- JSON: the names of its kinds of transaction
	status           TEXT NOT NULL, -- 'running' also stands where the process was killed
	reason           TEXT NOT NULL DEFAULT '',
	begun_ms         INTEGER NOT NULL,
	ended_ms         INTEGER,
	seen_ms          INTEGER NOT NULL, -- the last sign of life
	host             TEXT NOT NULL,
	pid              INTEGER NOT NULL,
	process_begun_ms INTEGER NOT NULL, -- tells a process from a later one with its pid
	facts            TEXT, -- JSON
	result           TEXT, -- JSON
	dropped          INTEGER NOT NULL DEFAULT 0 -- events that could not be recorded
) STRICT;

-- A second of a run, or a few of them, or with phase 'total' all that was measured.
CREATE TABLE span (
	number     INTEGER PRIMARY KEY AUTOINCREMENT,
	job        INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	at_ms      INTEGER NOT NULL,
	phase      TEXT NOT NULL,
	offset_ns  INTEGER NOT NULL, -- since the phase began, at the end of the span
	elapsed_ns INTEGER NOT NULL,
	server_tpm REAL
) STRICT;

-- What one kind of transaction did in a span. The histograms are in HdrHistogram's
-- compressed V2 encoding, in nanoseconds; NULL where no transaction was done.
CREATE TABLE tally (
	number      INTEGER PRIMARY KEY,
	span        INTEGER NOT NULL REFERENCES span ON DELETE CASCADE,
	kind        INTEGER NOT NULL, -- index into job.kinds
	done        INTEGER NOT NULL,
	rolled_back INTEGER NOT NULL,
	retried     INTEGER NOT NULL,
	failed      TEXT, -- JSON: count by class; NULL for none
	service     BLOB,
	response    BLOB
) STRICT;

-- Lines that virtual users put out.
CREATE TABLE output (
	number INTEGER PRIMARY KEY,
	job    INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	at_ms  INTEGER NOT NULL,
	user   INTEGER NOT NULL,
	line   TEXT NOT NULL
) STRICT;

-- Examples of transactions that failed.
CREATE TABLE failure (
	number  INTEGER PRIMARY KEY,
	job     INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	at_ms   INTEGER NOT NULL,
	user    INTEGER NOT NULL,
	kind    TEXT NOT NULL,
	class   TEXT NOT NULL,
	message TEXT NOT NULL,
	retried INTEGER NOT NULL
) STRICT;

CREATE INDEX span_of_job    ON span (job);
CREATE INDEX tally_of_span  ON tally (span);
CREATE INDEX output_of_job  ON output (job);
CREATE INDEX failure_of_job ON failure (job);
