-- Boards: pages that users compose of figures and charts of jobs.
CREATE TABLE board (
	number     INTEGER PRIMARY KEY AUTOINCREMENT, -- is never used again, because links contain it
	name       TEXT NOT NULL UNIQUE COLLATE NOCASE,
	tiles      TEXT NOT NULL, -- JSON
	changed_by TEXT NOT NULL, -- a user, or ''
	changed_ms INTEGER NOT NULL
) STRICT;
