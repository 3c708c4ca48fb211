package history

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
)

// past reads a complete job. It skips a job with an invalid ID or time, with a warning.
func (f *file) past(ctx context.Context, r jobRow) (repository.Past, []string, error) {
	if !isID.MatchString(r.id) {
		return repository.Past{}, []string{fmt.Sprintf("left out, because its ID %q is not 8 to 40 hexadecimal digits in capitals", r.id)}, nil
	}
	begun, err := readTime(r.timestamp)
	if err != nil {
		return repository.Past{}, []string{fmt.Sprintf("left out, because %v", err)}, nil
	}
	p := repository.Past{Job: job.Job{
		ID: job.ID(r.id), Origin: Origin, Begun: begun, Profile: max(r.profile, 0),
		Spec: job.Spec{Database: names.Folder(r.database), Workload: workload(r.benchmark), Options: option.Values{}},
	}}
	var warnings []string
	if p.Details.Settings, err = readSettings(r.settings); err != nil {
		warnings = append(warnings, fmt.Sprintf("imported without its settings: %v", err))
	}
	for _, section := range p.Details.Settings {
		for _, s := range section.Settings {
			p.Job.Spec.Options[names.Meant(p.Job.Spec.Database, p.Job.Spec.Workload, s.Name)] = s.Value
		}
	}
	for _, read := range []func(context.Context, *repository.Past) error{f.readOutput, f.readTimings, f.readCounts, f.readSystem, f.readMetrics} {
		if err := read(ctx, &p); err != nil {
			return repository.Past{}, warnings, err
		}
	}
	judge(&p)
	return p, warnings, nil
}

// workload returns Sledge's name for a benchmark of HammerDB.
func workload(name string) string {
	for _, b := range names.Benchmarks {
		if b.Name == name {
			return b.Workload
		}
	}
	return strings.ToLower(name)
}

// readTime parses a time in SQLite's format. HammerDB writes local times.
func readTime(text string) (time.Time, error) {
	for _, layout := range []string{time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("its time %q is not a date and time", text)
}

// readSettings parses a dictionary of dictionaries, and leaves out secrets.
func readSettings(text string) ([]job.Section, error) {
	outer, err := splitDict(text)
	if err != nil {
		return nil, err
	}
	var sections []job.Section
	for _, o := range outer {
		inner, err := splitDict(o.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.key, err)
		}
		section := job.Section{Name: o.key, Settings: []job.Setting{}}
		for _, i := range inner {
			if !names.IsSecret(i.key) {
				section.Settings = append(section.Settings, job.Setting{Name: i.key, Value: i.value})
			}
		}
		sections = append(sections, section)
	}
	return sections, nil
}

// readOutput reads the lines of output. HammerDB does not record their times, so all have the time
// of the job.
func (f *file) readOutput(ctx context.Context, p *repository.Past) error {
	return f.rows(ctx, jobOutput, []column{{"vu", whole}, {"output", text}}, "jobid = ?", []any{p.Job.ID}, func(rows *sql.Rows) error {
		var user sql.NullInt64
		var line sql.NullString
		err := rows.Scan(&user, &line)
		p.Output = append(p.Output, repository.OutputLine{At: p.Job.Begun, User: int(user.Int64), Line: line.String})
		return err
	})
}

var timingColumns = []column{
	{"vu", whole},
	{"summary", whole},
	{"procname", text},
	{"calls", whole},
	{"elapsed_ms", number},
	{"min_ms", number},
	{"avg_ms", number},
	{"max_ms", number},
	{"total_ms", number},
	{"p99_ms", number},
	{"p95_ms", number},
	{"p75_ms", number},
	{"p50_ms", number},
	{"p25_ms", number},
	{"sd", number},
	{"ratio_pct", number},
}

func (f *file) readTimings(ctx context.Context, p *repository.Past) error {
	return f.rows(ctx, jobTiming, timingColumns, "jobid = ?", []any{p.Job.ID}, func(rows *sql.Rows) error {
		var user, summary, calls sql.NullInt64
		var name sql.NullString
		var figures [12]sql.NullFloat64
		into := []any{&user, &summary, &name, &calls}
		for i := range figures {
			into = append(into, &figures[i])
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		v := func(i int) float64 { return figures[i].Float64 }
		t := job.Timing{
			User: int(user.Int64), Name: strings.ToUpper(name.String), Calls: calls.Int64,
			Elapsed: v(0), Min: v(1), Avg: v(2), Max: v(3), Total: v(4), P99: v(5), P95: v(6), P50: v(8), SD: v(10), Ratio: v(11),
		}
		if summary.Int64 != 0 {
			t.User = 0
		}
		// Version 6 added these two percentiles. Before, the standard deviation was in microseconds
		// and everything else in milliseconds.
		if p75, p25 := figures[7], figures[9]; p75.Valid && p25.Valid {
			t.P75, t.P25 = &p75.Float64, &p25.Float64
		} else {
			t.SD /= 1000
		}
		p.Details.Timings = append(p.Details.Timings, t)
		return nil
	})
}

// readCounts reads the server's counts. It skips rows that contain an error instead of a count.
func (f *file) readCounts(ctx context.Context, p *repository.Past) error {
	columns := []column{{"counter", number}, {"metric", text}, {"timestamp", text}}
	return f.rows(ctx, jobTCount, columns, "jobid = ?", []any{p.Job.ID}, func(rows *sql.Rows) error {
		var counter sql.NullFloat64
		var metric, timestamp sql.NullString
		if err := rows.Scan(&counter, &metric, &timestamp); err != nil {
			return err
		}
		at, err := readTime(timestamp.String)
		if err == nil && counter.Valid && slices.Contains([]string{"tpm", "qph"}, metric.String) {
			p.Counts = append(p.Counts, job.Count{At: at, Rate: counter.Float64})
		}
		return nil
	})
}

func (f *file) readSystem(ctx context.Context, p *repository.Past) error {
	var columns []column
	for _, name := range names.SystemFacts {
		columns = append(columns, column{name, text})
	}
	return f.rows(ctx, jobSystem, columns, "jobid = ?", []any{p.Job.ID}, func(rows *sql.Rows) error {
		values := make([]sql.NullString, len(names.SystemFacts))
		into := make([]any, len(values))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		p.Details.System = nil
		for i, name := range names.SystemFacts {
			if values[i].String != "" {
				p.Details.System = append(p.Details.System, job.Setting{Name: name, Value: values[i].String})
			}
		}
		p.Job.Host = values[0].String
		return nil
	})
}

func (f *file) readMetrics(ctx context.Context, p *repository.Past) error {
	columns := []column{{"timestamp", text}, {"usr", number}, {"sys", number}, {"irq", number}, {"idle", number}, {"iops", number}, {"mbps", number}}
	return f.rows(ctx, jobMetric, columns, "jobid = ?", []any{p.Job.ID}, func(rows *sql.Rows) error {
		var timestamp sql.NullString
		var m job.SystemMetric
		if err := rows.Scan(&timestamp, &m.User, &m.Sys, &m.IRQ, &m.Idle, &m.IOPS, &m.MBps); err != nil {
			return err
		}
		var err error
		if m.At, err = readTime(timestamp.String); err == nil {
			p.Details.Metrics = append(p.Details.Metrics, m)
		}
		return nil
	})
}

// judge derives from a job's output what the job did and how it ended, which HammerDB does not
// record otherwise.
func judge(p *repository.Past) {
	j := &p.Job
	var complete, failed bool
	var running, finished int
	for _, o := range p.Output {
		line := o.Line
		_, event, status := strings.Cut(line, ":")
		if o.User > 0 || !status {
			event = line
		}
		switch {
		case event == lines.Running:
			running++
		case event == lines.Succeeded:
			finished++
		case event == lines.Failed:
			failed = true
		case line == lines.AllComplete:
			complete = true
		case strings.HasPrefix(line, "Error in Virtual User") && j.Reason == "":
			j.Reason = line
		}
		if action := actionOf(line); action != "" && j.Spec.Action == "" {
			j.Spec.Action = action
		}
		readFacts(p, line)
	}
	if n := len(p.Counts); n > 0 {
		j.Ended = p.Counts[n-1].At
	}
	j.Spec.Users = j.Result.Users
	switch {
	case failed:
		j.Status = job.Failed
		if j.Reason == "" {
			j.Reason = "a virtual user failed"
		}
	case j.Result.Line != "" || complete || running > 0 && finished >= running:
		j.Status, j.Reason = job.Succeeded, ""
	default:
		j.Status, j.Reason = job.Killed, "HammerDB did not record its end"
	}
	j.Result.Status, j.Result.Reason = j.Status, j.Reason
}

// traces are lines that occur in the output of only one kind of job.
var traces = []struct {
	pattern *regexp.Regexp
	action  job.Action
}{
	{regexp.MustCompile(`^CREATING .*(SCHEMA|DATABASE|TABLES)|SCHEMA COMPLETE$|^Monitor Thread$`), job.Build},
	{regexp.MustCompile(`(?i)^Checking .* schema$|schema check failed|has been checked success`), job.Check},
	{regexp.MustCompile(`(?i)has been deleted success|^Dropping `), job.Delete},
	{regexp.MustCompile(`^Beginning rampup time|^TEST RESULT|Active (Virtual Users|Sessions) configured$|^Executing Query |^Processing \d+ transactions`), job.Run},
}

func actionOf(line string) job.Action {
	for _, t := range traces {
		if t.pattern.MatchString(line) {
			return t.action
		}
	}
	return ""
}

// The lines with figures, besides the headline of transactions. In some lines HammerDB puts the
// figures in quotation marks.
var (
	active    = regexp.MustCompile(`(\d+) Active (?:Virtual Users|Sessions) configured$`)
	geomean   = regexp.MustCompile(`^Geometric mean of query times returning rows(?: \(\d+\))? is "?([0-9.]+)`)
	querySets = regexp.MustCompile(`^Completed "?(\d+)"? query set\(s\) in "?(\d+)"? seconds`)
	version   = regexp.MustCompile(`^DBVersion:(.+)$`)
)

// readFacts reads the figures in a line. If several users report a geometric mean, the last one
// remains.
func readFacts(p *repository.Past, line string) {
	r := &p.Job.Result
	if h, ok := lines.ReadHeadline(line); ok {
		r.Line, r.Metrics = line, []job.Metric{metric("NOPM", h.NOPM), metric("TPM", h.TPM)}
	}
	if m := geomean.FindStringSubmatch(line); m != nil {
		r.Line = line
		r.Metrics = append(without(r.Metrics, "geomean"), metric("geomean", m[1]))
	}
	if m := querySets.FindStringSubmatch(line); m != nil {
		r.Metrics = append(without(without(r.Metrics, "query sets"), "query set seconds"), metric("query sets", m[1]), metric("query set seconds", m[2]))
	}
	if m := active.FindStringSubmatch(line); m != nil {
		r.Users, _ = strconv.Atoi(m[1]) // only digits
	}
	if m := version.FindStringSubmatch(line); m != nil && m[1] != "NULL" && p.Job.Facts == nil {
		p.Job.Facts = &job.Facts{Server: m[1]}
	}
}

func metric(name, figure string) job.Metric {
	value, _ := strconv.ParseFloat(figure, 64) // digits
	return job.Metric{Name: name, Value: value}
}

func without(metrics []job.Metric, name string) []job.Metric {
	return slices.DeleteFunc(metrics, func(m job.Metric) bool { return m.Name == name })
}
