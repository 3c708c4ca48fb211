-- The last number that was given to a performance profile: one row. A number may have no run yet,
-- and is never given again.
CREATE TABLE profile_number (last INTEGER NOT NULL) STRICT;
INSERT INTO profile_number VALUES (0);
