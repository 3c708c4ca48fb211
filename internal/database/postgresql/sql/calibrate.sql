-- Runs ten million steps on one thread, and returns how many milliseconds they took by the server's
-- clock.
SELECT t.steps, floor(extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000)::bigint AS milliseconds, t.outcome
FROM (SELECT count(*) AS steps, sum(sqrt(n.step)) AS outcome FROM (SELECT generate_series(1, 10000000) AS step) n) t
