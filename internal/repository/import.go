package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sledge/internal/job"
	"sledge/internal/sqlitefile"
)

// Past is a job that another program recorded. Its Job.Origin names that program,
// and its spec has no secrets.
type Past struct {
	Job     job.Job
	Output  []OutputLine
	Counts  []job.Count
	Series  []job.Sampled
	Details job.ImportDetails
}

// Imported is the result of an import from another program's results.
type Imported struct {
	Added    []job.ID
	Present  int      // jobs that were in the repository already
	Warnings []string // what could not be imported, with the job
}

// Add adds a job to the repository and to the result.
func (i *Imported) Add(ctx context.Context, s *Store, p Past) error {
	added, err := s.Add(ctx, p)
	switch {
	case err != nil:
		return err
	case added:
		i.Added = append(i.Added, p.Job.ID)
	default:
		i.Present++
	}
	return nil
}

// Add adds a job that another program recorded, under its own ID, and reports whether it did. It
// leaves an existing job with this ID unchanged, unless that job was added before its end: then p
// replaces it.
func (s *Store) Add(ctx context.Context, p Past) (bool, error) {
	if p.Job.Origin == "" {
		return false, job.WithExit(job.ExitInternal, fmt.Errorf("add job %s: the name of the program that recorded it is missing", p.Job.ID))
	}
	if err := refuseSecrets(p.Job.Spec); err != nil {
		return false, err
	}
	var added bool
	err := sqlitefile.Transact(ctx, s.db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM job WHERE id = ? AND origin = ? AND status = ?`, p.Job.ID, p.Job.Origin, job.Killed)
		if err != nil {
			return err
		}
		number, err := addJob(ctx, tx, p.Job)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		added = true
		return addWhatHappened(ctx, tx, number, p)
	})
	if err != nil {
		return false, fmt.Errorf("add job %s to the repository: %w", p.Job.ID, err)
	}
	return added, nil
}

// addJob returns sql.ErrNoRows if a job with this ID exists.
func addJob(ctx context.Context, tx *sql.Tx, j job.Job) (number int64, err error) {
	spec, err := json.Marshal(j.Spec)
	if err != nil {
		return 0, err
	}
	result, err := json.Marshal(j.Result.Brief())
	if err != nil {
		return 0, err
	}
	var facts, ended any
	if j.Facts != nil {
		text, err := json.Marshal(j.Facts)
		if err != nil {
			return 0, err
		}
		facts = string(text)
	}
	if !j.Ended.IsZero() {
		ended = j.Ended.UnixMilli()
	}
	row := tx.QueryRowContext(ctx, `INSERT INTO job
		(id, action, database, workload, profile, spec, kinds, status, reason, begun_ms, ended_ms, seen_ms, host, pid, process_begun_ms, facts, result, origin)
		VALUES (?, ?, ?, ?, ?, ?, '[]', ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING number`,
		j.ID, j.Spec.Action, j.Spec.Database, j.Spec.Workloads(), j.Profile, string(spec), j.Status, j.Reason,
		j.Begun.UnixMilli(), ended, j.Begun.UnixMilli(), j.Host, facts, string(result), j.Origin)
	err = row.Scan(&number)
	return number, err
}

func addWhatHappened(ctx context.Context, tx *sql.Tx, number int64, p Past) error {
	all := inserts{ctx: ctx, tx: tx, job: number}
	for _, line := range p.Output {
		_, err := all.run(`INSERT INTO output (job, at_ms, user, line) VALUES (?, ?, ?, ?)`, number, line.At.UnixMilli(), line.User, line.Line)
		if err != nil {
			return err
		}
	}
	for _, c := range p.Counts {
		second := job.Second{Moment: job.Moment{Phase: job.Measure, Offset: c.At.Sub(p.Job.Begun).Seconds(), ServerTPM: &c.Rate}}
		if err := all.span(c.At, second); err != nil {
			return err
		}
	}
	for _, series := range p.Series {
		for _, point := range series.Points {
			if err := all.sample(point.At, &job.Sample{Series: series.Series, Value: point.Value}); err != nil {
				return err
			}
		}
	}
	if len(p.Series) > 0 {
		if err := all.columns(); err != nil {
			return err
		}
	}
	details, err := json.Marshal(p.Details)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO imported (job, details) VALUES (?, ?)`, number, string(details))
	return err
}

// ImportDetails returns the further details of a job that another program recorded; they are empty for
// Sledge's own jobs.
func (s *Store) ImportDetails(ctx context.Context, id job.ID) (job.ImportDetails, error) {
	var details job.ImportDetails
	j, number, err := s.find(ctx, id)
	if err != nil {
		return details, err
	}
	var text string
	err = s.db.QueryRowContext(ctx, `SELECT details FROM imported WHERE job = ?`, number).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return details, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &details)
	}
	if err != nil {
		return details, fmt.Errorf("read the details that %s recorded of job %s: %w", j.Origin, j.ID, err)
	}
	return details, nil
}
