-- What happened in a job, as data: one row for each event, but for seconds, which are
-- spans, and progress, which is not kept. Jobs from before this table have their lines in
-- output.
CREATE TABLE event (
	number INTEGER PRIMARY KEY,
	job    INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	event  TEXT NOT NULL -- JSON
) STRICT;

CREATE INDEX event_of_job ON event (job);
