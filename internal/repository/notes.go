package repository

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"sledge/internal/job"
)

// Note is a user's text at a moment of a run or over a span of it. Its times are in seconds since the
// first second of the run began.
type Note struct {
	Number  int64     `json:"number"` // identifies it among the notes of all jobs
	From    float64   `json:"from_seconds"`
	Until   float64   `json:"until_seconds"` // equal to From for a moment
	Text    string    `json:"text"`
	Author  string    `json:"author,omitempty"` // the user of the web application who wrote it last
	Changed time.Time `json:"changed"`
}

const (
	// mostNotes limits the notes of a job, because its page shows all.
	mostNotes = 200

	// latestNote limits the times of notes, in seconds. It exceeds the length of any run.
	latestNote = 1e9
)

// check returns an error if the note is invalid.
func (n Note) check() error {
	usage := func(format string, args ...any) error {
		return job.WithExit(job.ExitUsage, fmt.Errorf("the note: "+format, args...))
	}
	// The comparisons also refuse NaN.
	if !(n.From >= 0 && n.From <= n.Until && n.Until <= latestNote) {
		return usage("%g s to %g s is not a time of a run: give the seconds since the run began, the end not before the beginning", n.From, n.Until)
	}
	if strings.TrimSpace(n.Text) == "" {
		return usage("it has no text: write one, or delete the note")
	}
	if err := job.CheckNote(n.Text); err != nil {
		return usage("%w", err)
	}
	return nil
}

// Notes returns the notes of a job, by their times.
func (s *Store) Notes(ctx context.Context, id job.ID) ([]Note, error) {
	j, of, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	notes, err := notesOf(ctx, s.db, of)
	if err != nil {
		return nil, fmt.Errorf("read the notes of job %s: %w", j.ID, err)
	}
	return notes, nil
}

// notesOf reads the notes of a job.
func notesOf(ctx context.Context, from querier, job int64) ([]Note, error) {
	rows, err := from.QueryContext(ctx, `SELECT number, from_seconds, until_seconds, text, author, changed_ms
		FROM note WHERE job = ? ORDER BY from_seconds, until_seconds, number`, job)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var notes []Note
	for rows.Next() {
		var n Note
		var changed int64
		if err := rows.Scan(&n.Number, &n.From, &n.Until, &n.Text, &n.Author, &changed); err != nil {
			return nil, err
		}
		n.Changed = time.UnixMilli(changed).UTC()
		notes = append(notes, n)
	}
	return notes, rows.Err()
}

// AddNote adds a note to a run, which may be in progress, and returns it with its number.
func (s *Store) AddNote(ctx context.Context, id job.ID, n Note) (Note, error) {
	if err := n.settle(); err != nil {
		return Note{}, err
	}
	j, of, err := s.find(ctx, id)
	if err != nil {
		return Note{}, err
	}
	if j.Spec.Action != job.Run {
		return Note{}, job.WithExit(job.ExitUsage, fmt.Errorf("job %s is a %s, and only runs have notes at a time: use the note of the job", j.ID, j.Spec.Action))
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		var had int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM note WHERE job = ?`, of).Scan(&had); err != nil {
			return err
		}
		if had >= mostNotes {
			return job.WithExit(job.ExitUsage, fmt.Errorf("it has %d notes, which is the limit: delete one", had))
		}
		return tx.QueryRowContext(ctx, `INSERT INTO note (job, from_seconds, until_seconds, text, author, changed_ms) VALUES (?, ?, ?, ?, ?, ?) RETURNING number`,
			of, n.From, n.Until, n.Text, n.Author, n.Changed.UnixMilli()).Scan(&n.Number)
	})
	if err != nil {
		return Note{}, fmt.Errorf("add a note to job %s: %w", j.ID, err)
	}
	return n, nil
}

// settle checks a note, and sets the time of its change.
func (n *Note) settle() error {
	n.From, n.Until = math.Round(n.From*1000)/1000, math.Round(n.Until*1000)/1000
	n.Changed = time.Now().UTC().Truncate(time.Millisecond)
	return n.check()
}

// ChangeNote changes a note of a job, and returns the changed note.
func (s *Store) ChangeNote(ctx context.Context, id job.ID, number int64, change func(*Note)) (Note, error) {
	j, of, err := s.find(ctx, id)
	if err != nil {
		return Note{}, err
	}
	var n Note
	err = s.transact(ctx, func(tx *sql.Tx) error {
		notes, err := notesOf(ctx, tx, of)
		if err != nil {
			return err
		}
		found := false
		for _, one := range notes {
			if one.Number == number {
				n, found = one, true
			}
		}
		if !found {
			return errNoNote
		}
		change(&n)
		if err := n.settle(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE note SET from_seconds = ?, until_seconds = ?, text = ?, author = ?, changed_ms = ? WHERE number = ?`,
			n.From, n.Until, n.Text, n.Author, n.Changed.UnixMilli(), number)
		return err
	})
	if err != nil {
		return Note{}, fmt.Errorf("change note %d of job %s: %w", number, j.ID, err)
	}
	return n, nil
}

// errNoNote means that a job has no note with a number.
var errNoNote = job.WithExit(job.ExitMissing, errors.New("there is no such note: it may have been deleted"))

// RemoveNote deletes a note of a job.
func (s *Store) RemoveNote(ctx context.Context, id job.ID, number int64) error {
	j, of, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	result, err := s.db.ExecContext(ctx, `DELETE FROM note WHERE job = ? AND number = ?`, of, number)
	if err == nil {
		var n int64
		if n, err = result.RowsAffected(); err == nil && n == 0 {
			err = errNoNote
		}
	}
	if err != nil {
		return fmt.Errorf("delete note %d of job %s: %w", number, j.ID, err)
	}
	return nil
}
