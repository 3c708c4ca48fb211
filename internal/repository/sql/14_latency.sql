-- Start lags, waits and the response times of a pool's connections are kept as all latencies are: in
-- milliseconds, under the names of meter.Latency. What was not kept stays unknown. Results stand in jobs,
-- and in the events that tell of a headline.
CREATE TEMP TABLE renamed (place TEXT, number INTEGER, result TEXT);
INSERT INTO renamed SELECT 'job', number, result FROM job
	WHERE result LIKE '%"late%' OR result LIKE '%"sharing"%' OR result LIKE '%"pool"%';
INSERT INTO renamed SELECT 'event', number, event -> '$.headline' FROM event
	WHERE event LIKE '%"headline":%' AND (event LIKE '%"late%' OR event LIKE '%"sharing"%' OR event LIKE '%"pool"%');

UPDATE renamed SET result = json_patch(result, json_object('lateness', NULL, 'start_lag', json_object(
		'mean_ms', round(1e3 * (result ->> '$.lateness.mean_seconds'), 6),
		'p50_ms', round(1e3 * (result ->> '$.lateness.p50_seconds'), 6),
		'p99_ms', round(1e3 * (result ->> '$.lateness.p99_seconds'), 6),
		'max_ms', round(1e3 * (result ->> '$.lateness.max_seconds'), 6))))
	WHERE json_type(result, '$.lateness') = 'object';

UPDATE renamed SET result = json_patch(result, json_object('sharing', json_object('wait', json_object(
		'mean_seconds', NULL, 'p50_seconds', NULL, 'p99_seconds', NULL, 'max_seconds', NULL,
		'mean_ms', round(1e3 * (result ->> '$.sharing.wait.mean_seconds'), 6),
		'p50_ms', round(1e3 * (result ->> '$.sharing.wait.p50_seconds'), 6),
		'p99_ms', round(1e3 * (result ->> '$.sharing.wait.p99_seconds'), 6),
		'max_ms', round(1e3 * (result ->> '$.sharing.wait.max_seconds'), 6)))))
	WHERE json_type(result, '$.sharing.wait') = 'object';

UPDATE renamed SET result = json_patch(result, json_object('pace', json_object(
		'late_mean_seconds', NULL, 'late_p50_seconds', NULL, 'late_p99_seconds', NULL, 'late_max_seconds', NULL,
		'start_lag', json_object(
			'mean_ms', round(1e3 * (result ->> '$.pace.late_mean_seconds'), 6),
			'p50_ms', round(1e3 * (result ->> '$.pace.late_p50_seconds'), 6),
			'p99_ms', round(1e3 * (result ->> '$.pace.late_p99_seconds'), 6),
			'max_ms', round(1e3 * (result ->> '$.pace.late_max_seconds'), 6)))))
	WHERE json_type(result, '$.pace') = 'object';

UPDATE renamed SET result = json_set(result, '$.pace.kinds', json((SELECT json_group_array(json_patch(value, json_object(
		'late_mean_seconds', NULL, 'late_p99_seconds', NULL, 'late_max_seconds', NULL,
		'start_lag', json_object(
			'mean_ms', round(1e3 * (value ->> '$.late_mean_seconds'), 6),
			'p99_ms', round(1e3 * (value ->> '$.late_p99_seconds'), 6),
			'max_ms', round(1e3 * (value ->> '$.late_max_seconds'), 6)))))
		FROM json_each(result, '$.pace.kinds'))))
	WHERE json_type(result, '$.pace.kinds') = 'array';

UPDATE renamed SET result = json_set(result, '$.pool.connections', json((SELECT json_group_array(json_patch(value, json_object(
		'p50_seconds', NULL, 'p99_seconds', NULL,
		'response', CASE WHEN value ->> '$.p99_seconds' > 0 THEN json_object(
			'p50_ms', round(1e3 * (value ->> '$.p50_seconds'), 6),
			'p99_ms', round(1e3 * (value ->> '$.p99_seconds'), 6)) END)))
		FROM json_each(result, '$.pool.connections'))))
	WHERE json_type(result, '$.pool.connections') = 'array';

UPDATE job SET result = r.result FROM renamed AS r WHERE r.place = 'job' AND r.number = job.number;
UPDATE event SET event = json_set(event, '$.headline', json(r.result)) FROM renamed AS r WHERE r.place = 'event' AND r.number = event.number;
DROP TABLE renamed;
