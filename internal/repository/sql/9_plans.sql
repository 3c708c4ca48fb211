-- The plans of a run's queries, by which it can be laid beside another run: JSON,
-- compressed by zlib, since plans repeat themselves.
CREATE TABLE plans (
	job   INTEGER PRIMARY KEY REFERENCES job ON DELETE CASCADE,
	plans BLOB NOT NULL
) STRICT;
