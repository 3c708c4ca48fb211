package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"sledge/internal/job"
)

// Annotation is a change of a recorded job's labels and note.
type Annotation struct {
	Set    map[string]string // labels, by name
	Remove []string          // names of labels; unknown names are ignored
	Note   *string           // replaces the note; "" removes it, nil keeps it
}

// mostLabels limits the labels of a job, because each list of jobs contains them.
const mostLabels = 100

// Check returns an error if the annotation is invalid.
func (a Annotation) Check() error {
	for name, value := range a.Set {
		if _, _, err := job.ParseLabel(name + "=" + value); err != nil {
			return job.WithExit(job.ExitUsage, err)
		}
	}
	if a.Note != nil {
		if err := job.CheckNote(*a.Note); err != nil {
			return job.WithExit(job.ExitUsage, fmt.Errorf("the note: %w", err))
		}
	}
	return nil
}

// Annotate changes the labels and the note of a job, which may be running, and returns the changed
// job. It changes nothing else.
func (s *Store) Annotate(ctx context.Context, id job.ID, a Annotation) (job.Job, error) {
	if err := a.Check(); err != nil {
		return job.Job{}, err
	}
	j, number, err := s.find(ctx, id)
	if err != nil {
		return job.Job{}, err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		var text string // read again: another process may have settled options of a running job
		if err := tx.QueryRowContext(ctx, `SELECT spec FROM job WHERE number = ?`, number).Scan(&text); err != nil {
			return err
		}
		spec := job.Spec{}
		if err := json.Unmarshal([]byte(text), &spec); err != nil {
			return err
		}
		if spec.Labels == nil {
			spec.Labels = map[string]string{}
		}
		for _, name := range a.Remove {
			delete(spec.Labels, name)
		}
		for name, value := range a.Set {
			spec.Labels[name] = value
		}
		if a.Note != nil {
			spec.Note = *a.Note
		}
		if len(a.Set) > 0 && len(spec.Labels) > mostLabels {
			return job.WithExit(job.ExitUsage, fmt.Errorf("a job has at most %d labels, and this change would make it %d: remove some", mostLabels, len(spec.Labels)))
		}
		labels, err := json.Marshal(spec.Labels)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE job SET spec = json_set(spec, '$.labels', json(?), '$.note', ?) WHERE number = ?`, string(labels), spec.Note, number)
		return err
	})
	if err != nil {
		return job.Job{}, fmt.Errorf("annotate job %s: %w", j.ID, err)
	}
	return s.Get(ctx, j.ID)
}
