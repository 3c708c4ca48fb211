// Package resultdb writes results into a database of the user's, so that they can be queried with SQL: tables of runs, labels,
// options, settings, figures and seconds, and views with the names of pgbench-tools' reports.
package resultdb

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

//go:embed schema.sql
var schema string

// comment is the comment of the schema sledge, which proves that it is ours.
const comment = "Results of Sledge, format 1"

// Run is a run with its figures.
type Run struct {
	Job     job.Job
	Figures []Figure
	Seconds func() ([]Second, error) // of the measured time; called once, while they are written
}

// Second holds the transactions of a kind in a second. A latency is nil if none was done.
type Second struct {
	Run        job.ID   `json:"run"`
	Second     float64  `json:"second"` // since the measured time began, at the end of the second
	Kind       string   `json:"kind"`
	Seconds    float64  `json:"seconds"` // 1, or more in the later hours of a long run
	Done       int64    `json:"done"`
	RolledBack int64    `json:"rolled_back"`
	Failed     int64    `json:"failed"`
	Retries    int64    `json:"retries"`
	P50        *float64 `json:"p50_ms"`
	P95        *float64 `json:"p95_ms"`
	P99        *float64 `json:"p99_ms"`
	Max        *float64 `json:"max_ms"`
}

// Figure is a figure of a run.
type Figure struct {
	Kind  string // of transaction; "" for all together
	Name  string // "response p99"
	Unit  string
	Value float64
}

// Write writes runs into a PostgreSQL database, in place of earlier rows of the same runs. Without the schema sledge it
// creates it; it refuses a schema of this name that it did not create. All or nothing is written.
func Write(ctx context.Context, d *database.Database, connection any, runs []Run) (err error) {
	s, err := d.Sessions.Connect(ctx, connection, database.Owner)
	if err != nil {
		return job.WithExit(job.ExitConnect, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return err
	}
	if err := write(ctx, s, runs); err != nil {
		return errors.Join(fmt.Errorf("write results: %w", err), s.Rollback(context.WithoutCancel(ctx)))
	}
	return s.Commit(ctx)
}

func write(ctx context.Context, s database.Session, runs []Run) error {
	found, err := s.Query(ctx, "SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace WHERE nspname = 'sledge'", 1)
	switch {
	case err != nil:
		return err
	case len(found.Rows) == 0:
		for statement := range strings.SplitSeq(schema, ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if err := s.Exec(ctx, statement); err != nil {
				return err
			}
		}
	case found.Rows[0][0] != comment:
		return job.WithExit(job.ExitExists, errors.New("the database has a schema named sledge that Sledge did not create: name another database"))
	}
	const together = 100 // runs, so that a statement has a few MB at most
	for chunk := range slices.Chunk(runs, together) {
		if err := writeSome(ctx, s, chunk); err != nil {
			return err
		}
		for _, r := range chunk {
			if err := writeSeconds(ctx, s, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeSeconds(ctx context.Context, s database.Session, r Run) error {
	seconds, err := r.Seconds()
	if err != nil {
		return err
	}
	const together = 10_000
	for chunk := range slices.Chunk(seconds, together) {
		document, err := asDocument(map[string][]Second{"second": chunk})
		if err != nil {
			return err
		}
		if err := s.Exec(ctx, document+" INSERT INTO sledge.second "+rowsOf("second")); err != nil {
			return err
		}
	}
	return nil
}

// asDocument begins a statement with rows by the names of their tables, which rowsOf then reads.
func asDocument(rows any) (string, error) {
	text, err := json.Marshal(rows)
	// Texts could end the literal, depending on the server's settings. Hexadecimal digits cannot.
	return fmt.Sprintf("WITH d AS MATERIALIZED (SELECT convert_from(decode('%x', 'hex'), 'UTF8')::jsonb AS d)", text), err
}

func rowsOf(table string) string {
	return fmt.Sprintf("SELECT * FROM jsonb_populate_recordset(NULL::sledge.%s, (SELECT d -> '%[1]s' FROM d))", table)
}

func writeSome(ctx context.Context, s database.Session, runs []Run) error {
	all := rows{Runs: []run{}, Labels: []named{}, Options: []named{}, Settings: []named{}, Figures: []figure{}}
	for _, r := range runs {
		all.add(r)
	}
	document, err := asDocument(all)
	if err != nil {
		return err
	}
	if err := s.Exec(ctx, document+" DELETE FROM sledge.run WHERE run IN (SELECT run FROM ("+rowsOf("run")+") AS r)"); err != nil {
		return err
	}
	// PostgreSQL checks references at the end of a statement, so one statement fills all tables.
	insert := document
	for _, table := range []string{"run", "label", "option", "setting"} {
		insert += fmt.Sprintf(", into_%s AS (INSERT INTO sledge.%[1]s %s)", table, rowsOf(table))
	}
	return s.Exec(ctx, insert+" INSERT INTO sledge.figure "+rowsOf("figure"))
}

// rows are the rows of the tables, by table and column.
type rows struct {
	Runs     []run    `json:"run"`
	Labels   []named  `json:"label"`
	Options  []named  `json:"option"`
	Settings []named  `json:"setting"`
	Figures  []figure `json:"figure"`
}

type run struct {
	Run        job.ID     `json:"run"`
	Experiment string     `json:"experiment,omitempty"`
	Begun      time.Time  `json:"begun"`
	Ended      *time.Time `json:"ended,omitempty"`
	Status     job.Status `json:"status"`
	Valid      bool       `json:"valid"`
	Reason     string     `json:"reason,omitempty"`
	Database   string     `json:"database"`
	Workload   string     `json:"workload"`
	Size       string     `json:"size,omitempty"`
	Users      int        `json:"users"`
	Seconds    float64    `json:"seconds"`
	Server     string     `json:"server,omitempty"`
	Client     string     `json:"client,omitempty"`
	Version    string     `json:"version,omitempty"`
	Origin     string     `json:"origin,omitempty"`
	Figure     string     `json:"figure,omitempty"`
	Value      *float64   `json:"value,omitempty"`
}

type named struct {
	Run   job.ID `json:"run"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

type figure struct {
	Run   job.ID  `json:"run"`
	Kind  string  `json:"kind"`
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

func (all *rows) add(r Run) {
	j := r.Job
	one := run{
		Run: j.ID, Experiment: j.Spec.Labels[job.LabelExperiment], Begun: j.Begun, Status: j.Status, Valid: j.Status.Valid(), Reason: clean(j.Reason),
		Database: j.Spec.Database, Workload: j.Spec.Workloads(), Users: max(j.Result.Users, j.Spec.Users), Seconds: j.Result.Elapsed, Client: j.Host, Origin: j.Origin,
	}
	if !j.Ended.IsZero() {
		one.Ended = &j.Ended
	}
	if f := j.Facts; f != nil {
		one.Server, one.Size, one.Version = clean(f.Server), clean(f.Size), f.SledgeVersion
		all.Settings = addNamed(all.Settings, j.ID, f.ServerSettings)
	}
	if len(j.Result.Metrics) > 0 {
		one.Figure, one.Value = j.Result.Metrics[0].Name, &j.Result.Metrics[0].Value
	}
	all.Runs = append(all.Runs, one)
	all.Labels = addNamed(all.Labels, j.ID, j.Spec.Labels)
	all.Options = addNamed(all.Options, j.ID, j.Spec.Options)
	for _, f := range r.Figures {
		if math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
			continue
		}
		all.Figures = append(all.Figures, figure{j.ID, f.Kind, f.Name, f.Unit, f.Value})
	}
}

func addNamed(list []named, id job.ID, values map[string]string) []named {
	for name, value := range values {
		list = append(list, named{id, clean(name), clean(value)})
	}
	return list
}

// clean removes the only character that PostgreSQL's texts cannot have.
func clean(text string) string { return strings.ReplaceAll(text, "\x00", "") }
