-- A performance profile is the runs that have its number; 0 is none. Where a job
-- was recorded by another program, origin is that program's name.
ALTER TABLE job ADD COLUMN profile INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN origin TEXT NOT NULL DEFAULT '';

CREATE INDEX job_of_profile ON job (profile) WHERE profile <> 0;
CREATE INDEX job_by_time    ON job (begun_ms, number);

-- What one virtual user measured of one kind of transaction, where a time profile
-- was asked for. The columns are those of tally.
CREATE TABLE user_tally (
	number      INTEGER PRIMARY KEY,
	job         INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	user        INTEGER NOT NULL, -- position of the virtual user; the first is 2
	elapsed_ns  INTEGER NOT NULL,
	kind        INTEGER NOT NULL,
	done        INTEGER NOT NULL,
	rolled_back INTEGER NOT NULL,
	retried     INTEGER NOT NULL,
	failed      TEXT,
	service     BLOB,
	response    BLOB
) STRICT;

CREATE INDEX user_tally_of_job ON user_tally (job, user, kind);

-- What another program kept of a job that has no other place here.
CREATE TABLE imported (
	job     INTEGER PRIMARY KEY REFERENCES job ON DELETE CASCADE,
	details TEXT NOT NULL -- JSON, without secrets
) STRICT;
