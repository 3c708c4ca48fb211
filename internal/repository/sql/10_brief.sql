-- What charts show of a span, of all kinds of transaction together, so that those of a run of a
-- day take no reading of its histograms: how many transactions were done or rolled back, how
-- many failed, and how long those took that were done, as meter.Figures in binary. All are NULL
-- in spans from before, whose tallies say the same, and response where none was done.
ALTER TABLE span ADD COLUMN ended    INTEGER;
ALTER TABLE span ADD COLUMN failed   INTEGER;
ALTER TABLE span ADD COLUMN response BLOB;
