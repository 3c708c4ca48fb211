package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// pages yields rows that page reads a page at a time. It holds no lock while the caller consumes
// them, because a slow web client would otherwise prevent checkpoints of SQLite's write-ahead log.
// page returns the number of the last row that it read.
func pages[T any](s *Store, ctx context.Context, id job.ID, what string, page func(job, after int64) ([]T, int64, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		_, job, err := s.find(ctx, id)
		if err != nil {
			yield(none, err)
			return
		}
		for after := int64(0); ; {
			list, last, err := page(job, after)
			if err != nil {
				yield(none, fmt.Errorf("read the %s of job %s: %w", what, id, err))
				return
			}
			for _, v := range list {
				if !yield(v, nil) {
					return
				}
			}
			if len(list) == 0 {
				return
			}
			after = last
		}
	}
}

const pageRows = 500

// Seconds yields the measurements of a job as events, in order, ramp-up included: an event for each
// second, or in the later hours of a long run for several seconds together. The number of clients
// that had logged in is not recorded.
func (s *Store) Seconds(ctx context.Context, id job.ID) iter.Seq2[job.Event, error] {
	return pages(s, ctx, id, "seconds", func(number, after int64) ([]job.Event, int64, error) {
		return s.spans(ctx, `job = ? AND number > ? AND phase <> 'total'`, number, after)
	})
}

// SecondsAfter is like Seconds, for seconds that ended after a given moment.
func (s *Store) SecondsAfter(ctx context.Context, id job.ID, moment time.Time) iter.Seq2[job.Event, error] {
	return pages(s, ctx, id, "seconds", func(number, after int64) ([]job.Event, int64, error) {
		return s.spans(ctx, `job = ? AND number > ? AND phase <> 'total' AND at_ms > ?`, number, after, moment.UnixMilli())
	})
}

// Moments is like Seconds without the measurements, which take further queries.
func (s *Store) Moments(ctx context.Context, id job.ID) iter.Seq2[job.Event, error] {
	return pages(s, ctx, id, "seconds", func(number, after int64) ([]job.Event, int64, error) {
		list, numbers, err := s.moments(ctx, `job = ? AND number > ? AND phase <> 'total'`, number, after)
		if err != nil || len(list) == 0 {
			return nil, 0, err
		}
		return list, numbers[len(numbers)-1], nil
	})
}

// Place is the place of a second in the repository. Places of later seconds of a job are higher.
type Place int64

// Places is like Moments, and also yields the place of each second, at which Measurements finds its
// measurements.
func (s *Store) Places(ctx context.Context, id job.ID) iter.Seq2[Placed, error] {
	return pages(s, ctx, id, "seconds", func(number, after int64) (placed []Placed, last int64, err error) {
		list, numbers, err := s.moments(ctx, `job = ? AND number > ? AND phase <> 'total'`, number, after)
		for i, e := range list {
			last = numbers[i]
			placed = append(placed, Placed{e, Place(last)})
		}
		return placed, last, err
	})
}

// Placed is a second without its measurements.
type Placed struct {
	job.Event
	Place Place
}

// Measurements returns the measurements of seconds, without their lengths. Places are in ascending
// order.
func (s *Store) Measurements(ctx context.Context, places []Place) ([]meter.CodedSummary, error) {
	numbers, list := make([]int64, len(places)), make([]meter.CodedSummary, len(places))
	for i, p := range places {
		numbers[i] = int64(p)
	}
	add := func(place int, t meter.CodedTally) { list[place].Kinds = append(list[place].Kinds, t) }
	if err := s.tallies(ctx, numbers, tallyColumns, add); err != nil {
		return nil, fmt.Errorf("read measurements: %w", err)
	}
	return list, nil
}

// spans reads one page of spans with their tallies.
func (s *Store) spans(ctx context.Context, condition string, arguments ...any) ([]job.Event, int64, error) {
	list, numbers, err := s.moments(ctx, condition, arguments...)
	if err != nil || len(list) == 0 {
		return nil, 0, err
	}
	add := func(place int, t meter.CodedTally) {
		measured := &list[place].Second.Measured
		measured.Kinds = append(measured.Kinds, t)
	}
	if err := s.tallies(ctx, numbers, tallyColumns, add); err != nil {
		return nil, 0, err
	}
	return list, numbers[len(numbers)-1], nil
}

// moments reads one page of spans without their tallies, and the numbers of their rows.
func (s *Store) moments(ctx context.Context, condition string, arguments ...any) ([]job.Event, []int64, error) {
	rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, at_ms, phase, offset_ns, elapsed_ns, server_tpm
		FROM span WHERE %s ORDER BY number LIMIT %d`, condition, pageRows), arguments...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var list []job.Event
	var numbers []int64
	for rows.Next() {
		var second job.Second
		var number, at int64
		var offset time.Duration
		if err := rows.Scan(&number, &at, &second.Phase, &offset, &second.Measured.Elapsed, &second.ServerTPM); err != nil {
			return nil, nil, err
		}
		second.Offset = offset.Seconds()
		list = append(list, job.Event{At: time.UnixMilli(at), Second: &second})
		numbers = append(numbers, number)
	}
	return list, numbers, errors.Join(rows.Err(), rows.Close())
}

const tallyColumns = `done, rolled_back, retried, failed, service, response, bytes_sent, bytes_received, round_trips`

// tallies reads the tallies of spans. numbers are the numbers of the spans' rows in ascending
// order. tallies calls add with each tally and the index of its span in numbers. columns are
// tallyColumns, or constants for columns that the caller does not need.
func (s *Store) tallies(ctx context.Context, numbers []int64, columns string, add func(place int, t meter.CodedTally)) error {
	wanted, err := json.Marshal(numbers)
	if err != nil {
		return err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT span, `+columns+` FROM tally WHERE span IN (SELECT value FROM json_each(?)) ORDER BY span, kind`, string(wanted))
	if err != nil {
		return err
	}
	defer rows.Close()
	for i := 0; rows.Next(); {
		var span int64
		t, err := scanTally(rows, &span)
		if err != nil {
			return err
		}
		for numbers[i] != span {
			i++
		}
		add(i, t)
	}
	return rows.Err()
}

// scanTally reads tallyColumns after the other columns.
func scanTally(rows *sql.Rows, others ...any) (meter.CodedTally, error) {
	var t meter.CodedTally
	var failed sql.NullString
	err := rows.Scan(append(others, &t.Done, &t.RolledBack, &t.Retried, &failed, (*[]byte)(&t.Service), (*[]byte)(&t.Response),
		&t.Traffic.Sent, &t.Traffic.Received, &t.Traffic.RoundTrips)...)
	if err == nil && failed.Valid {
		err = json.Unmarshal([]byte(failed.String), &t.Failed)
	}
	return t, err
}
