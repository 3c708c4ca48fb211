package repository

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"sledge/internal/job"
)

// OutputLine is a line of a virtual user's output that another program or an older version of
// Sledge recorded.
type OutputLine struct {
	At   time.Time `json:"at"`
	User int       `json:"user"`
	Line string    `json:"line"`
}

// StoredFailure is an example of a failed transaction.
type StoredFailure struct {
	At   time.Time `json:"at"`
	User int       `json:"user"`
	job.Failure
}

// Events yields the events of a job in order, except its seconds and its progress. A job that has
// Output has no events.
func (s *Store) Events(ctx context.Context, id job.ID) iter.Seq2[job.Event, error] {
	var beginning EventPlace
	return s.EventsAfter(ctx, id, &beginning)
}

// EventPlace is a position among the events of a job. The zero value is before the first event.
type EventPlace struct{ row int64 }

// EventsAfter yields the events after a position, and advances the position past each event that it
// has yielded, so that a caller that polls reads only new events.
func (s *Store) EventsAfter(ctx context.Context, id job.ID, place *EventPlace) iter.Seq2[job.Event, error] {
	type placed struct {
		job.Event
		row int64
	}
	from := place.row
	all := pages(s, ctx, id, "events", func(number, after int64) (list []placed, last int64, err error) {
		rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, event FROM event
			WHERE job = ? AND number > ? ORDER BY number LIMIT %d`, pageRows), number, max(after, from))
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var e placed
			var text []byte
			if err := rows.Scan(&last, &text); err != nil {
				return nil, 0, err
			}
			old := struct { // from an older version of Sledge
				*job.Event
				Wish job.Request `json:"wish"`
			}{Event: &e.Event}
			if err := json.Unmarshal(text, &old); err != nil {
				return nil, 0, err
			}
			e.Request = cmp.Or(e.Request, old.Wish)
			e.row = last
			list = append(list, e)
		}
		return list, last, rows.Err()
	})
	return func(yield func(job.Event, error) bool) {
		for e, err := range all {
			if !yield(e.Event, err) {
				return
			}
			if err == nil {
				place.row = e.row
			}
		}
	}
}

// Output yields the output lines of virtual users, in order. Only jobs of other programs and of
// older versions of Sledge have them.
func (s *Store) Output(ctx context.Context, id job.ID) iter.Seq2[OutputLine, error] {
	return pages(s, ctx, id, "output", func(job, after int64) (list []OutputLine, last int64, err error) {
		rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, at_ms, user, line FROM output
			WHERE job = ? AND number > ? ORDER BY number LIMIT %d`, pageRows), job, after)
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var line OutputLine
			var at int64
			if err := rows.Scan(&last, &at, &line.User, &line.Line); err != nil {
				return nil, 0, err
			}
			line.At = time.UnixMilli(at)
			list = append(list, line)
		}
		return list, last, rows.Err()
	})
}

// Failures yields the examples of failed transactions, in order.
func (s *Store) Failures(ctx context.Context, id job.ID) iter.Seq2[StoredFailure, error] {
	return pages(s, ctx, id, "failures", func(job, after int64) (list []StoredFailure, last int64, err error) {
		rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, at_ms, user, kind, class, message, retried FROM failure
			WHERE job = ? AND number > ? ORDER BY number LIMIT %d`, pageRows), job, after)
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var f StoredFailure
			var at int64
			if err := rows.Scan(&last, &at, &f.User, &f.Kind, &f.Class, &f.Message, &f.Retried); err != nil {
				return nil, 0, err
			}
			f.At = time.UnixMilli(at)
			list = append(list, f)
		}
		return list, last, rows.Err()
	})
}
