package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"sledge/internal/job"
)

// activity writes what sessions did in a second.
func (w *inserts) activity(at time.Time, a job.ActivitySecond) error {
	pairs := []int64{}
	for _, s := range a.Shares {
		what, err := json.Marshal(s.Key())
		if err != nil {
			return err
		}
		if _, err := w.run(`INSERT OR IGNORE INTO did (job, what) VALUES (?, ?)`, w.job, string(what)); err != nil {
			return err
		}
		var number int64
		if err := w.tx.QueryRowContext(w.ctx, `SELECT number FROM did WHERE job = ? AND what = ?`, w.job, string(what)).Scan(&number); err != nil {
			return err
		}
		pairs = append(pairs, number, s.Sessions)
	}
	shares, err := json.Marshal(pairs)
	if err != nil {
		return err
	}
	_, err = w.run(`INSERT OR REPLACE INTO activity (job, at_ms, samples, missed, shares) VALUES (?, ?, ?, ?, ?)`, w.job, at.UnixMilli(), a.Samples, a.Missed, string(shares))
	return err
}

// ActivityAt is what sessions did in the second that ended at about a time.
type ActivityAt struct {
	At time.Time
	job.ActivitySecond
}

// ActivityTimes returns the first and the last time of what Activity yields; zero times if it yields nothing.
func (s *Store) ActivityTimes(ctx context.Context, id job.ID, from, until time.Time) (first, last time.Time, err error) {
	_, number, err := s.find(ctx, id)
	if err != nil {
		return first, last, err
	}
	least, greatest, err := s.activityTimes(ctx, number, from, until)
	if err != nil {
		return first, last, fmt.Errorf("read the activity of job %s: %w", id, err)
	}
	if least.Valid {
		first, last = time.UnixMilli(least.Int64).UTC(), time.UnixMilli(greatest.Int64).UTC()
	}
	return first, last, nil
}

func (s *Store) activityTimes(ctx context.Context, number int64, from, until time.Time) (least, greatest sql.NullInt64, err error) {
	after, last := bounds(from, until)
	row := s.db.QueryRowContext(ctx, `SELECT min(at_ms), max(at_ms) FROM activity WHERE job = ? AND at_ms > ? AND at_ms <= ?`, number, after, last)
	err = row.Scan(&least, &greatest)
	return least, greatest, err
}

// Activity yields what the server's active sessions did in the seconds of a run with a time after from and not after
// until, in order. A zero time means no bound. Seconds without samples are missing. The caller must not use the store
// meanwhile.
func (s *Store) Activity(ctx context.Context, id job.ID, from, until time.Time) iter.Seq2[ActivityAt, error] {
	return func(yield func(ActivityAt, error) bool) {
		if err := s.activity(ctx, id, from, until, yield); err != nil {
			yield(ActivityAt{}, fmt.Errorf("read the activity of job %s: %w", id, err))
		}
	}
}

func (s *Store) activity(ctx context.Context, id job.ID, from, until time.Time, yield func(ActivityAt, error) bool) error {
	_, number, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	// A second is written together with what sessions did in it, so that all of a second read before are read now.
	first, last, err := s.activityTimes(ctx, number, from, until)
	if err != nil || !first.Valid {
		return err
	}
	did, err := s.did(ctx, number)
	if err != nil {
		return err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT at_ms, samples, missed, shares FROM activity WHERE job = ? AND at_ms BETWEEN ? AND ? ORDER BY at_ms`, number, first, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var at int64
		var shares []byte
		one := ActivityAt{ActivitySecond: job.ActivitySecond{Shares: []job.ActivityShare{}}}
		if err := rows.Scan(&at, &one.Samples, &one.Missed, &shares); err != nil {
			return err
		}
		one.At = time.UnixMilli(at).UTC()
		var pairs []int64
		if err := json.Unmarshal(shares, &pairs); err != nil {
			return err
		}
		for pair := range slices.Chunk(pairs, 2) {
			share := did[pair[0]]
			share.Sessions = pair[len(pair)-1]
			one.Shares = append(one.Shares, share)
		}
		if !yield(one, nil) {
			return nil
		}
	}
	return rows.Err()
}

// did reads all that sessions of a job did, by number.
func (s *Store) did(ctx context.Context, of int64) (map[int64]job.ActivityShare, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT number, what FROM did WHERE job = ?`, of)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int64]job.ActivityShare{}
	for rows.Next() {
		var number int64
		var what []byte
		if err := rows.Scan(&number, &what); err != nil {
			return nil, err
		}
		var one job.ActivityShare
		if err := json.Unmarshal(what, &one); err != nil {
			return nil, err
		}
		all[number] = one
	}
	return all, rows.Err()
}
