-- Schedules start set-ups. A schedule has the time of its next start, so that a program that opens the repository later
-- knows which starts were missed.
CREATE TABLE schedule (
	number  INTEGER PRIMARY KEY AUTOINCREMENT,
	setup   INTEGER NOT NULL REFERENCES setup,
	owner   TEXT NOT NULL, -- a user, or ''
	enabled INTEGER NOT NULL,
	cron    TEXT NOT NULL, -- '' for a single start
	zone    TEXT NOT NULL,
	next_ms INTEGER -- NULL if there is none
) STRICT;

CREATE INDEX schedule_of_setup ON schedule (setup);

CREATE TABLE scheduled_start (
	number   INTEGER PRIMARY KEY,
	schedule INTEGER NOT NULL REFERENCES schedule ON DELETE CASCADE,
	due_ms   INTEGER NOT NULL,
	outcome  TEXT NOT NULL,
	times    INTEGER NOT NULL, -- how many starts were missed; otherwise 1
	job      TEXT NOT NULL, -- the ID, or ''
	reason   TEXT NOT NULL
) STRICT;

CREATE INDEX scheduled_start_of_schedule ON scheduled_start (schedule, number);
