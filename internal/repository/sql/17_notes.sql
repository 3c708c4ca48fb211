-- Users' notes on the time of a run, in seconds since its first second began. A note at a moment ends
-- where it begins.
CREATE TABLE note (
	number        INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that a late change hits no other note
	job           INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	from_seconds  REAL NOT NULL,
	until_seconds REAL NOT NULL,
	text          TEXT NOT NULL,
	author        TEXT NOT NULL, -- the user who wrote it last; '' if unknown
	changed_ms    INTEGER NOT NULL
) STRICT;

CREATE INDEX note_of_job ON note (job);
