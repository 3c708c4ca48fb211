-- What was read beside a job, as named series, such as the transaction counter's rate. Samples of a
-- series are in order of time; labels are a JSON object, with its names in order.
CREATE TABLE series (
	number INTEGER PRIMARY KEY,
	job    INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	name   TEXT NOT NULL,
	unit   TEXT NOT NULL,
	labels TEXT NOT NULL,
	UNIQUE (job, name, unit, labels)
) STRICT;

CREATE TABLE sample (
	series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
	at_ms  INTEGER NOT NULL,
	value  REAL NOT NULL,
	PRIMARY KEY (series, at_ms)
) STRICT, WITHOUT ROWID;

INSERT INTO series (job, name, unit, labels) SELECT DISTINCT job, 'transaction counter', 'tpm', '{}' FROM reading;
INSERT OR REPLACE INTO sample (series, at_ms, value)
	SELECT series.number, at_ms, tpm FROM reading JOIN series USING (job) ORDER BY reading.number;
DROP TABLE reading;
