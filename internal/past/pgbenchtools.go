package past

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
)

// PgbenchTools is the origin of jobs that pgbench-tools, also called pgbent, recorded.
const PgbenchTools = "pgbench-tools"

// ImportPgbenchTools copies the tests of pgbench-tools' results database that store does not have yet. All tests of a server
// are an experiment of its name, or of name if that is not "", with labels for the set, the script, the scale, the clients
// and, if any test has one, the rate. It reads databases of versions before 2019, which had no names of servers, as
// well. The initialisation of the tables is a build. tell is called before each test.
func ImportPgbenchTools(ctx context.Context, store *repository.Store, d *database.Database, connection any, name string, tell func(done, all int)) (done repository.Imported, err error) {
	session, err := d.Sessions.Connect(ctx, connection, database.Owner)
	if err != nil {
		return done, job.WithExit(job.ExitConnect, err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	r := results{Session: session}
	if err := r.open(ctx); err != nil {
		return done, fmt.Errorf("import the tests of pgbench-tools: %w", err)
	}
	for _, server := range r.servers() {
		if err := Free(ctx, store, cmp.Or(name, server), PgbenchTools); err != nil {
			return done, err
		}
	}
	for i, t := range r.tests {
		tell(i, len(r.tests))
		p, err := r.past(ctx, t, name)
		if err != nil {
			return done, fmt.Errorf("import test %d of pgbench-tools: %w", t.Test, err)
		}
		if p.Job.Begun.IsZero() {
			done.Warnings = append(done.Warnings, fmt.Sprintf("test %d is left out: it has no start", t.Test))
			continue
		}
		if err := done.Add(ctx, store, p); err != nil {
			return done, err
		}
	}
	return done, nil
}

// results is a results database.
type results struct {
	database.Session
	tests []pgbenchTest
	sets  map[[2]string]string // descriptions by server and set
	units map[string]string    // by metric
	rated bool                 // whether any test had a rate

	hasSettings, hasMetrics bool // whether the version has these tables
}

// pgbenchTest is a row of tests. Columns that a version does not have are empty.
type pgbenchTest struct {
	Server  string   `json:"server"`
	Test    int      `json:"test"`
	Set     int      `json:"set"`
	Script  string   `json:"script"`
	Scale   int      `json:"scale"`
	Clients int      `json:"clients"`
	Workers int      `json:"workers"`
	Rate    *float64 `json:"rate_limit"`
	Multi   float64  `json:"multi"`

	TPS     float64  `json:"tps"`
	Done    float64  `json:"trans"`       // transactions
	Average *float64 `json:"avg_latency"` // milliseconds
	Most    *float64 `json:"max_latency"`
	P90     *float64 `json:"percentile_90_latency"`
	Size    float64  `json:"dbsize"`      // bytes
	WAL     float64  `json:"wal_written"` // bytes

	Version string `json:"server_version"`
	CPU     string `json:"server_cpu"`
	Memory  *int   `json:"server_mem_gb"`
	Disk    string `json:"server_disk"`
	OS      string `json:"server_os_release"`

	begun, ended time.Time
}

// open reads what all tests share.
func (r *results) open(ctx context.Context) error {
	tables, err := r.Query(ctx, "SELECT coalesce(to_regclass('tests')::text, ''), coalesce(to_regclass('testset')::text, ''), coalesce(to_regclass('metrics_info')::text, ''), coalesce(to_regclass('test_settings')::text, ''), coalesce(to_regclass('test_metrics_data')::text, '')", 0)
	if err != nil {
		return err
	}
	if tables.Rows[0][0] == "" || tables.Rows[0][1] == "" {
		return job.WithExit(job.ExitMissing, errors.New("the database has no tables tests and testset: name the results database, such as --url postgres://user@host/results"))
	}
	r.hasSettings, r.hasMetrics = tables.Rows[0][3] != "", tables.Rows[0][4] != ""
	// The tables have times without a zone: they are in the session's zone.
	rows, err := r.Query(ctx, `SELECT to_jsonb(t), coalesce(extract(epoch FROM start_time::timestamptz)::text, ''), coalesce(extract(epoch FROM end_time::timestamptz)::text, '') FROM tests AS t ORDER BY start_time, test`, 0)
	if err != nil {
		return err
	}
	for _, row := range rows.Rows {
		var t pgbenchTest
		if err := json.Unmarshal([]byte(row[0]), &t); err != nil {
			return fmt.Errorf("a row of tests: %w", err)
		}
		t.begun, t.ended = moment(row[1]), moment(row[2])
		r.tests = append(r.tests, t)
		r.rated = r.rated || t.Rate != nil
	}
	r.sets = map[[2]string]string{}
	if rows, err = r.Query(ctx, `SELECT to_jsonb(s) FROM testset AS s`, 0); err != nil {
		return err
	}
	for _, row := range rows.Rows {
		var s struct {
			Server, Info string
			Set          int
		}
		if err := json.Unmarshal([]byte(row[0]), &s); err != nil {
			return fmt.Errorf("a row of testset: %w", err)
		}
		r.sets[[2]string{s.Server, strconv.Itoa(s.Set)}] = s.Info
	}
	r.units = map[string]string{}
	if tables.Rows[0][2] == "" {
		return nil
	}
	if rows, err = r.Query(ctx, `SELECT metric, min(units) FROM metrics_info WHERE units IS NOT NULL GROUP BY metric`, 0); err != nil {
		return err
	}
	for _, row := range rows.Rows {
		r.units[row[0]] = row[1]
	}
	return nil
}

// moment makes a time of seconds since 1970, or the zero time of "".
func moment(seconds string) time.Time {
	s, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(1000 * s))
}

// unnamed is the name of the server in databases without one.
const unnamed = "pgbench-tools"

// servers returns the names of all servers.
func (r *results) servers() (names []string) {
	for _, t := range r.tests {
		if name := cmp.Or(t.Server, unnamed); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// past makes a job of a test.
func (r *results) past(ctx context.Context, t pgbenchTest, name string) (repository.Past, error) {
	// A script that begins with a colon is an option of pgbench: ":-i" initialises the tables.
	action := job.Run
	if strings.HasPrefix(t.Script, ":") {
		action = job.Build
	}
	p := repository.Past{Job: job.Job{
		ID: ID(PgbenchTools, t.Server, t.Test, t.begun.Unix()), Origin: PgbenchTools, Begun: t.begun, Ended: t.ended,
		Spec: job.Spec{Action: action, Database: "postgresql", Workload: "pgbench", Options: option.Values{}, Users: t.Clients, Labels: map[string]string{}},
	}}
	j := &p.Job
	set := strconv.Itoa(t.Set)
	labels := [][2]string{
		{job.LabelExperiment, cmp.Or(name, t.Server, unnamed)},
		{"set", strings.TrimSpace(set + " " + r.sets[[2]string{t.Server, set}])},
		{"script", t.Script},
		{"scale", strconv.Itoa(t.Scale)},
		{"clients", strconv.Itoa(t.Clients)},
		{"multiplier", strconv.FormatFloat(t.Multi, 'f', -1, 64)},
	}
	if r.rated {
		rate := ""
		if t.Rate != nil {
			rate = strconv.FormatFloat(*t.Rate, 'f', -1, 64)
		}
		labels = append(labels, [2]string{"rate", rate})
	}
	for _, l := range labels {
		j.Spec.Labels[l[0]] = Label(l[1])
	}
	j.Result.Users = t.Clients
	if !t.ended.IsZero() {
		j.Result.Started, j.Result.Elapsed = t.begun, t.ended.Sub(t.begun).Seconds()
	}
	t.judge(j)
	if t.Version != "" {
		j.Facts = &job.Facts{Server: strings.TrimPrefix(Label(t.Version), "PostgreSQL "), Size: "scale " + strconv.Itoa(t.Scale)}
	}
	for _, fact := range []struct{ name, value string }{
		{"cpu", t.CPU},
		{"memory in GB", whole(t.Memory)},
		{"disk", t.Disk},
		{"operating system", t.OS},
		{"database in bytes", strconv.FormatFloat(t.Size, 'f', 0, 64)},
		{"WAL written in bytes", strconv.FormatFloat(t.WAL, 'f', 0, 64)},
		{"workers", strconv.Itoa(t.Workers)},
	} {
		if fact.value != "" && fact.value != "0" {
			p.Details.System = append(p.Details.System, job.Setting{Name: fact.name, Value: fact.value})
		}
	}
	if err := r.settings(ctx, t, &p); err != nil {
		return p, err
	}
	return p, r.metrics(ctx, t, &p)
}

// judge says how a test ended, and its figures. Versions of 2025 overwrite tps with NULL; it is then computed from the number of
// transactions.
func (t pgbenchTest) judge(j *job.Job) {
	means := "transactions a second"
	if t.TPS == 0 && t.Done > 0 && j.Result.Elapsed > 0 {
		t.TPS = t.Done / j.Result.Elapsed
		means += ", from their number and the duration of the test"
	}
	switch {
	case t.ended.IsZero():
		j.Status, j.Reason = job.Killed, "pgbench-tools did not record its end"
	case t.TPS > 0:
		j.Status = job.Succeeded
		j.Result.Metrics = []job.Metric{{Name: "TPS", Value: t.TPS, Means: means}}
		j.Result.Line = fmt.Sprintf("tps = %.1f", t.TPS)
		for _, latency := range []struct {
			name  string
			value *float64
		}{{"average latency", t.Average}, {"p90 latency", t.P90}, {"maximum latency", t.Most}} {
			if latency.value != nil {
				j.Result.Metrics = append(j.Result.Metrics, job.Metric{Name: latency.name, Value: *latency.value, Unit: "ms"})
			}
		}
	case j.Spec.Action == job.Build:
		j.Status = job.Succeeded
	default:
		j.Status, j.Reason = job.Failed, "pgbench-tools recorded no transactions"
	}
	j.Result.Status, j.Result.Reason = j.Status, j.Reason
}

func whole(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// of returns the condition that selects the rows of a test in another table.
func (t pgbenchTest) of() string {
	if t.Server == "" {
		return fmt.Sprintf("test = %d", t.Test)
	}
	// Hexadecimal digits cannot end the literal, whatever the name and the server's settings are.
	return fmt.Sprintf("test = %d AND server = convert_from(decode('%x', 'hex'), 'UTF8')", t.Test, t.Server)
}

// private are settings that may have passwords or commands in them.
const private = "'primary_conninfo', 'ssl_passphrase_command', 'archive_command', 'restore_command', 'archive_cleanup_command', 'recovery_end_command'"

// settings reads the settings of the server that were not its defaults.
func (r *results) settings(ctx context.Context, t pgbenchTest, p *repository.Past) error {
	if !r.hasSettings {
		return nil
	}
	rows, err := r.Query(ctx, "SELECT name, coalesce(value, setting) FROM test_settings WHERE "+t.of()+
		" AND setting IS DISTINCT FROM boot_val AND source NOT IN ('client', 'session') AND name NOT IN ("+private+") ORDER BY name", 0)
	if err != nil || len(rows.Rows) == 0 {
		return err
	}
	settings := map[string]string{}
	for _, row := range rows.Rows {
		settings[row[0]] = Label(row[1])
	}
	if p.Job.Facts == nil {
		p.Job.Facts = &job.Facts{}
	}
	p.Job.Facts.ServerSettings = settings
	return nil
}

// metrics reads the values that were sampled during a test.
func (r *results) metrics(ctx context.Context, t pgbenchTest, p *repository.Past) error {
	if !r.hasMetrics {
		return nil
	}
	rows, err := r.Query(ctx, "SELECT metric, extract(epoch FROM collected::timestamptz)::text, value::text FROM test_metrics_data WHERE "+t.of()+
		" AND collected IS NOT NULL AND value IS NOT NULL AND value NOT IN ('NaN', 'Infinity', '-Infinity') ORDER BY metric, collected", 0)
	if err != nil {
		return err
	}
	for _, row := range rows.Rows {
		if last := len(p.Series) - 1; last < 0 || p.Series[last].Name != row[0] {
			p.Series = append(p.Series, job.Sampled{Series: job.Series{Name: row[0], Unit: r.units[row[0]]}})
		}
		s := &p.Series[len(p.Series)-1]
		figure, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			return err
		}
		s.Points = append(s.Points, job.Point{At: moment(row[1]), Value: figure})
	}
	return nil
}
