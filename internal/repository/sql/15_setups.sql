-- Set-ups that users keep under names: the settings of jobs that are not started yet.
CREATE TABLE setup (
	number     INTEGER PRIMARY KEY AUTOINCREMENT, -- is never used again, because links contain it
	name       TEXT NOT NULL UNIQUE COLLATE NOCASE,
	action     TEXT NOT NULL,
	settings   TEXT NOT NULL, -- JSON, without secrets
	changed_by TEXT NOT NULL, -- a user, or ''
	changed_ms INTEGER NOT NULL
) STRICT;
