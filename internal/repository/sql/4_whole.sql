-- When the pages of the file were last looked at and found whole: one row.
CREATE TABLE whole (checked_ms INTEGER NOT NULL) STRICT;
INSERT INTO whole VALUES (0);

-- Jobs that have not been ended, by their last sign of life.
CREATE INDEX job_running ON job (seen_ms) WHERE status = 'running';
