-- A page of a list of jobs is read from an index of its order, which also has the columns that most lists are filtered by,
-- so that only the rows of the page are read from the table. The expressions are those of sortKeys in repository/query.go.
DROP INDEX job_by_time;
CREATE INDEX job_by_time ON job (begun_ms, number, action, database, workload, status, profile, spec -> '$.labels');
CREATE INDEX job_by_duration ON job (coalesce(ended_ms - begun_ms, -1), begun_ms, number, action, database, workload, status, profile, spec -> '$.labels');
CREATE INDEX job_by_figure ON job (coalesce(result ->> '$.metrics[0].name', ''), coalesce(result ->> '$.metrics[0].value', -1), begun_ms, number, action, database, workload, status, profile, spec -> '$.labels');
