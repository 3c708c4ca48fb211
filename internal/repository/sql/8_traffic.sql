-- What went over the network for transactions, however they ended; 0 where nothing did, and
-- in jobs from before it was counted.
ALTER TABLE tally ADD COLUMN bytes_sent     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tally ADD COLUMN bytes_received INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tally ADD COLUMN round_trips    INTEGER NOT NULL DEFAULT 0;

ALTER TABLE user_tally ADD COLUMN bytes_sent     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user_tally ADD COLUMN bytes_received INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user_tally ADD COLUMN round_trips    INTEGER NOT NULL DEFAULT 0;

-- A virtual user has a profile of the ramp-up, too, from this version on.
ALTER TABLE user_tally ADD COLUMN phase TEXT NOT NULL DEFAULT 'measure';
