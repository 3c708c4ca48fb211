package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/past"
	"sledge/internal/repository"
)

// Hammerpost is the origin of jobs that hammerpost recorded.
const Hammerpost = "hammerpost"

// ImportHammerpost copies the runs of hammerpost's file at path that store does not have yet. Each benchmark is an experiment
// of its name, or of name if that is not "", with a label for each parameter. hammerpost does not record the database, so
// it is guessed from the output of HammerDB.
func ImportHammerpost(ctx context.Context, store *repository.Store, path, name string) (done repository.Imported, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("import the runs in %s: %w", path, err)
		}
	}()
	db, err := openHammerpost(ctx, path)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tests, err := readTests(ctx, db)
	if err != nil {
		return done, err
	}
	checked := map[string]bool{}
	for _, t := range tests {
		t.name = cmp.Or(name, t.name)
		if checked[t.name] {
			continue
		}
		checked[t.name] = true
		if err := past.Free(ctx, store, t.name, Hammerpost); err != nil {
			return done, err
		}
	}
	for _, t := range tests {
		p, err := t.job()
		if err != nil {
			done.Warnings = append(done.Warnings, fmt.Sprintf("test %d is left out: %v", t.test, err))
			continue
		}
		if p.Series, err = readLoad(ctx, db, t.test); err != nil {
			return done, err
		}
		if err := done.Add(ctx, store, p); err != nil {
			return done, err
		}
	}
	return done, nil
}

func openHammerpost(ctx context.Context, path string) (*sql.DB, error) {
	db, err := openReadOnly(path, "hammerpost keeps its results in local.db, in the folder in which it runs", "local.db")
	if err != nil {
		return nil, err
	}
	var columns int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM pragma_table_info('bench') WHERE name IN ('benchmark_id', 'test_id', 'parameters', 'nopm')`).Scan(&columns)
	if err == nil && columns < 4 {
		err = errors.New("this is not a file of hammerpost: it has no table bench. sledge jobs import reads HammerDB's hammer.DB")
	}
	if err != nil {
		return nil, errors.Join(job.WithExit(job.ExitUsage, err), db.Close())
	}
	return db, nil
}

// test is a row of bench: one run of HammerDB with some parameters.
type test struct {
	benchmark, test                             int64
	name, start, end, output, fault, parameters string
	nopm, tpm                                   float64
}

func readTests(ctx context.Context, db *sql.DB) (tests []*test, err error) {
	rows, err := db.QueryContext(ctx, `SELECT CAST(benchmark_id AS INTEGER), CAST(test_id AS INTEGER), CAST(name AS TEXT), CAST(start AS TEXT), coalesce(CAST(end AS TEXT), ''),
		coalesce(CAST(output AS TEXT), ''), coalesce(CAST(error AS TEXT), ''), coalesce(CAST(parameters AS TEXT), ''), coalesce(CAST(nopm AS REAL), 0), coalesce(CAST(tpm AS REAL), 0)
		FROM bench ORDER BY test_id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t test
		if err := rows.Scan(&t.benchmark, &t.test, &t.name, &t.start, &t.end, &t.output, &t.fault, &t.parameters, &t.nopm, &t.tpm); err != nil {
			return nil, err
		}
		tests = append(tests, &t)
	}
	return tests, rows.Err()
}

// databases are traces of a database in the output of HammerDB and in the names of parameters.
var databases = []struct {
	pattern  *regexp.Regexp
	database string
}{
	{regexp.MustCompile(`(?i)\bpg_|postgres|shared_buffers|work_mem|wal_|checkpoint_`), "postgresql"},
	{regexp.MustCompile(`(?i)mariadb`), "mariadb"},
	{regexp.MustCompile(`(?i)mysql|innodb`), "mysql"},
}

// job makes a job of the test. hammerpost performs the first benchmark only.
func (t *test) job() (repository.Past, error) {
	begun, err := time.Parse(time.RFC3339, t.start)
	if err != nil {
		return repository.Past{}, fmt.Errorf("its start %q is not a time", t.start)
	}
	p := repository.Past{Job: job.Job{
		ID: past.ID(Hammerpost, t.benchmark, t.test, t.start, t.parameters), Origin: Hammerpost, Begun: begun,
		Spec: job.Spec{Action: job.Run, Workload: names.Benchmarks[0].Workload, Options: option.Values{}, Labels: map[string]string{job.LabelExperiment: t.name}},
	}}
	j := &p.Job
	parameters := job.Section{Name: "parameters"}
	for line := range strings.Lines(t.parameters) {
		name, text, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		parameters.Settings = append(parameters.Settings, job.Setting{Name: name, Value: text})
		if _, _, err := job.ParseLabel("server." + name + "=" + past.Label(text)); err == nil {
			j.Spec.Labels["server."+name] = past.Label(text)
		}
	}
	p.Details.Settings = []job.Section{parameters}
	for _, v := range databases {
		if v.pattern.MatchString(t.output) || v.pattern.MatchString(t.parameters) {
			j.Spec.Database = v.database
			break
		}
	}
	for _, text := range []string{t.output, t.fault} {
		for line := range strings.Lines(text) {
			p.Output = append(p.Output, repository.OutputLine{At: begun, Line: strings.TrimRight(line, "\r\n")})
		}
	}
	if end, err := time.Parse(time.RFC3339, t.end); err == nil {
		j.Ended = end
		j.Result.Started, j.Result.Elapsed = begun, end.Sub(begun).Seconds()
	}
	switch {
	case t.nopm > 0:
		j.Status = job.Succeeded
		j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: t.nopm}, {Name: "TPM", Value: t.tpm}}
		j.Result.Line = fmt.Sprintf("%.0f NOPM %.0f TPM", t.nopm, t.tpm)
	case j.Ended.IsZero():
		j.Status, j.Reason = job.Killed, "hammerpost did not record its end"
	default:
		j.Status, j.Reason = job.Failed, "hammerpost recorded no NOPM"
		if first, _, _ := strings.Cut(strings.TrimSpace(t.fault), "\n"); first != "" {
			j.Reason += ": " + first
		}
	}
	j.Result.Status, j.Result.Reason = j.Status, j.Reason
	return p, nil
}

// loads are the columns of node_metrics that hammerpost measures; its other columns are always 0.
var loads = []job.Series{
	{Name: "load average", Labels: map[string]string{"machine": "server"}},
	{Name: "CPU", Unit: "%", Labels: map[string]string{"machine": "server", "mode": "used"}},
	{Name: "memory", Unit: "%", Labels: map[string]string{"machine": "server", "use": "used"}},
}

// readLoad reads the load of the server's machine during a test.
func readLoad(ctx context.Context, db *sql.DB, test int64) ([]job.Sampled, error) {
	var tables int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE name = 'node_metrics'`).Scan(&tables); err != nil || tables == 0 {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT CAST(rec_time AS INTEGER), coalesce(CAST(load_avg AS REAL), 0), coalesce(CAST(used_cpu_percent AS REAL), 0), coalesce(CAST(used_memory_percent AS REAL), 0)
		FROM node_metrics WHERE test_id = ? AND rec_time IS NOT NULL ORDER BY seq`, test)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := make([]job.Sampled, len(loads))
	for rows.Next() {
		var second int64
		var figures [3]float64
		if err := rows.Scan(&second, &figures[0], &figures[1], &figures[2]); err != nil {
			return nil, err
		}
		for i, figure := range figures {
			list[i].Series = loads[i]
			list[i].Points = append(list[i].Points, job.Point{At: time.Unix(second, 0), Value: figure})
		}
	}
	return list, rows.Err()
}
