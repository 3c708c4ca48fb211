-- What the active sessions of the server did in each second of a run. Seconds without samples are missing. shares is a
-- JSON array of numbers of did, each followed by the number of sampled sessions.
CREATE TABLE activity (
	job     INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	at_ms   INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	missed  INTEGER NOT NULL,
	shares  TEXT NOT NULL,
	PRIMARY KEY (job, at_ms)
) STRICT, WITHOUT ROWID;

-- What sessions of a job did, once each: a JSON object.
CREATE TABLE did (
	number INTEGER PRIMARY KEY,
	job    INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	what   TEXT NOT NULL,
	UNIQUE (job, what)
) STRICT;
