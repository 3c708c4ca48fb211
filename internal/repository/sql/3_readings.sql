-- What the transaction counter read while the job was being recorded, as a rate a
-- minute. Most jobs have none: it runs where somebody started it.
CREATE TABLE reading (
	number INTEGER PRIMARY KEY,
	job    INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	at_ms  INTEGER NOT NULL,
	tpm    REAL NOT NULL
) STRICT;

CREATE INDEX reading_of_job ON reading (job);
