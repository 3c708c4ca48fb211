-- The tables and views of results, in the schema sledge. Its comment proves that it is ours.
CREATE SCHEMA sledge;
COMMENT ON SCHEMA sledge IS 'Results of Sledge, format 1';

CREATE TABLE sledge.run (
	run text PRIMARY KEY, -- ID of the job
	experiment text,
	begun timestamptz NOT NULL,
	ended timestamptz,
	status text NOT NULL,
	valid boolean NOT NULL, -- whether its figures may be used
	reason text,
	database text NOT NULL,
	workload text NOT NULL,
	size text, -- amount of data, such as 10 warehouses
	users integer NOT NULL,
	seconds double precision, -- measured
	server text, -- version
	client text, -- machine
	version text, -- of Sledge
	origin text, -- program that recorded it, if that was not Sledge
	figure text, -- name of the headline figure
	value double precision
);
CREATE TABLE sledge.label (run text REFERENCES sledge.run ON DELETE CASCADE, name text, value text, PRIMARY KEY (run, name));
CREATE TABLE sledge.option (run text REFERENCES sledge.run ON DELETE CASCADE, name text, value text, PRIMARY KEY (run, name));
CREATE TABLE sledge.setting (run text REFERENCES sledge.run ON DELETE CASCADE, name text, value text, PRIMARY KEY (run, name));
CREATE TABLE sledge.figure (
	run text REFERENCES sledge.run ON DELETE CASCADE,
	kind text, -- of transaction; empty for all together
	name text,
	unit text,
	value double precision,
	PRIMARY KEY (run, kind, name)
);
CREATE TABLE sledge.second (
	run text REFERENCES sledge.run ON DELETE CASCADE,
	second double precision, -- of the measured time, at its end
	kind text, -- of transaction
	seconds double precision NOT NULL, -- 1, or more in the later hours of a long run
	done bigint NOT NULL,
	rolled_back bigint NOT NULL, -- as the workload requires
	failed bigint NOT NULL,
	retries bigint NOT NULL,
	p50_ms double precision, -- of the response times of those done
	p95_ms double precision,
	p99_ms double precision,
	max_ms double precision,
	PRIMARY KEY (run, second, kind)
);

-- Each run with what varies in its experiment, and its latencies in milliseconds.
CREATE VIEW sledge.report AS
	SELECT r.experiment, r.run, r.begun, r.status, r.valid, r.users, r.figure, r.value, p50.value AS p50_ms, p95.value AS p95_ms, p99.value AS p99_ms,
		coalesce((SELECT jsonb_object_agg(l.name, l.value) FROM sledge.label AS l WHERE l.run = r.run AND l.name NOT IN ('experiment', 'cell')), '{}') AS combination
	FROM sledge.run AS r
		LEFT JOIN sledge.figure AS p50 ON p50.run = r.run AND p50.kind = '' AND p50.name = 'response p50'
		LEFT JOIN sledge.figure AS p95 ON p95.run = r.run AND p95.kind = '' AND p95.name = 'response p95'
		LEFT JOIN sledge.figure AS p99 ON p99.run = r.run AND p99.kind = '' AND p99.name = 'response p99'
	ORDER BY r.experiment, r.begun;

CREATE VIEW sledge.report_latest AS
	SELECT * FROM sledge.report WHERE experiment = (SELECT experiment FROM sledge.run WHERE experiment IS NOT NULL ORDER BY begun DESC LIMIT 1);

-- Each combination of an experiment, with the median of its valid runs.
CREATE VIEW sledge.summary AS
	SELECT experiment, combination, users, figure, count(*) FILTER (WHERE valid) AS runs, count(*) FILTER (WHERE status IN ('failed', 'invalid')) AS failed,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FILTER (WHERE valid) AS median,
		min(value) FILTER (WHERE valid) AS least, max(value) FILTER (WHERE valid) AS most,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY p95_ms) FILTER (WHERE valid) AS p95_ms,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY p99_ms) FILTER (WHERE valid) AS p99_ms
	FROM sledge.report GROUP BY experiment, combination, users, figure
	ORDER BY experiment, combination;

CREATE VIEW sledge.fastest AS
	SELECT * FROM sledge.summary WHERE median IS NOT NULL ORDER BY median DESC;

CREATE VIEW sledge.lowest_latency AS
	SELECT * FROM sledge.summary WHERE p95_ms IS NOT NULL ORDER BY p95_ms;

CREATE VIEW sledge.tps_per_client AS
	SELECT experiment, combination, users, figure, median, median / nullif(users, 0) AS per_user FROM sledge.summary WHERE median IS NOT NULL ORDER BY experiment, users;

-- The rate of each second, and its longest response time.
CREATE VIEW sledge.rate AS
	SELECT run, second, sum(done) / max(seconds) AS done_per_second, sum(rolled_back) AS rolled_back, sum(failed) AS failed, max(max_ms) AS max_ms
	FROM sledge.second GROUP BY run, second ORDER BY run, second;

-- The spread of combinations with three or more valid runs.
CREATE VIEW sledge.variation AS
	SELECT experiment, combination, users, figure, runs, least, median, most, 100 * (most - least) / nullif(least, 0) AS spread_pct
	FROM sledge.summary WHERE runs > 2 ORDER BY 9 DESC;
