package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"sledge/internal/job"
)

// mostRows is the number of samples of a job that are stored in rows before they are moved into
// columns: those of 50 series, each sampled once a second, for ten minutes.
const mostRows = 30_000

// sample writes a value of a series. If two samples have the same millisecond, the later one stays.
func (w *inserts) sample(at time.Time, s *job.Sample) error {
	labels := []byte("{}")
	if len(s.Labels) > 0 {
		var err error
		if labels, err = json.Marshal(s.Labels); err != nil { // json sorts them by name
			return err
		}
	}
	of := []any{w.job, s.Name, s.Unit, string(labels)}
	w.rows++
	if _, err := w.run(`INSERT OR IGNORE INTO series (job, name, unit, labels) VALUES (?, ?, ?, ?)`, of...); err != nil {
		return err
	}
	_, err := w.run(`INSERT OR REPLACE INTO sample (series, at_ms, value)
		SELECT number, ?, ? FROM series WHERE job = ? AND name = ? AND unit = ? AND labels = ?`,
		append([]any{at.UnixMilli(), s.Value}, of...)...)
	return err
}

// columns moves the samples of the job from rows into columns.
func (w *inserts) columns() error {
	rows, err := w.tx.QueryContext(w.ctx, `SELECT number FROM series WHERE job = ?`, w.job)
	if err != nil {
		return err
	}
	numbers, err := numbersOf(rows)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		var c columns
		if err := c.addRows(w.ctx, w.tx, number, math.MinInt64, math.MaxInt64); err != nil {
			return err
		}
		if len(c.at) == 0 {
			continue
		}
		if err := w.addColumns(number, c); err != nil {
			return err
		}
		if _, err := w.run(`DELETE FROM sample WHERE series = ?`, number); err != nil {
			return err
		}
	}
	w.rows = 0
	return nil
}

// numbersOf reads rows of one number each, and closes them.
func numbersOf(rows *sql.Rows) (numbers []int64, err error) {
	defer rows.Close()
	for rows.Next() {
		var number int64
		if err := rows.Scan(&number); err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	return numbers, rows.Err()
}

// fullColumns is the number of samples from which on a row of columns gets no more samples. Much
// smaller rows would waste space in the pages of the file.
const fullColumns = 6_000

// addColumns writes samples of a series: into its newest columns, unless those are full.
func (w *inserts) addColumns(series int64, c columns) error {
	var number, count int64
	var coded []byte
	row := w.tx.QueryRowContext(w.ctx, `SELECT number, count, columns FROM samples WHERE series = ? ORDER BY number DESC LIMIT 1`, series)
	if err := row.Scan(&number, &count, &coded); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if count == 0 || count >= fullColumns {
		_, err := w.run(`INSERT INTO samples (series, first_ms, last_ms, count, columns) VALUES (?, ?, ?, ?, ?)`,
			series, c.at[0], c.at[len(c.at)-1], len(c.at), c.encode())
		return err
	}
	var all columns
	if err := all.decode(coded); err != nil {
		return err
	}
	all = all.and(c).inOrder()
	_, err := w.run(`UPDATE samples SET first_ms = ?, last_ms = ?, count = ?, columns = ? WHERE number = ?`,
		all.at[0], all.at[len(all.at)-1], len(all.at), all.encode(), number)
	return err
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sql.Rows, error)
}

// addRows reads the samples of a series that are stored in rows, with a time after after and not
// after until.
func (c *columns) addRows(ctx context.Context, from querier, series, after, until int64) error {
	rows, err := from.QueryContext(ctx, `SELECT at_ms, value FROM sample WHERE series = ? AND at_ms > ? AND at_ms <= ? ORDER BY at_ms`, series, after, until)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var at int64
		var value float64
		if err := rows.Scan(&at, &value); err != nil {
			return err
		}
		c.at, c.values = append(c.at, at), append(c.values, value)
	}
	return rows.Err()
}

// readColumns reads the samples of a series with a time after after and not after until. It reads
// the rows first, so that samples which the recorder moves into columns meanwhile are read twice
// and not missed.
func (s *Store) readColumns(ctx context.Context, series, after, until int64) (c columns, err error) {
	var newest columns
	if err := newest.addRows(ctx, s.db, series, after, until); err != nil {
		return c, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT columns FROM samples WHERE series = ? AND last_ms > ? AND first_ms <= ? ORDER BY number`, series, after, until)
	if err != nil {
		return c, err
	}
	defer rows.Close()
	for rows.Next() {
		var coded []byte
		if err := rows.Scan(&coded); err != nil {
			return c, err
		}
		if err := c.decode(coded); err != nil {
			return c, err
		}
	}
	if err := rows.Err(); err != nil {
		return c, err
	}
	return c.and(newest).inOrder().within(after, until), nil
}

// and returns the samples followed by others, which were recorded later.
func (c columns) and(others columns) columns {
	return columns{append(c.at, others.at...), append(c.values, others.values...)}
}

// inOrder returns the samples in order of time. Of several at the same time, as after a clock was set
// back, it keeps the one that was recorded last.
func (c columns) inOrder() columns {
	if c.ascends() {
		return c
	}
	latest := make(map[int64]float64, len(c.at))
	for i, at := range c.at {
		latest[at] = c.values[i]
	}
	c = columns{at: slices.Sorted(maps.Keys(latest))}
	for _, at := range c.at {
		c.values = append(c.values, latest[at])
	}
	return c
}

// within returns the samples with a time after after and not after until. The columns must be in
// order of time.
func (c columns) within(after, until int64) columns {
	from := sort.Search(len(c.at), func(i int) bool { return c.at[i] > after })
	to := sort.Search(len(c.at), func(i int) bool { return c.at[i] > until })
	return columns{c.at[from:max(from, to)], c.values[from:max(from, to)]}
}

// ascends reports whether each time is later than the one before.
func (c columns) ascends() bool {
	for i := 1; i < len(c.at); i++ {
		if c.at[i] <= c.at[i-1] {
			return false
		}
	}
	return true
}

// Series returns the series that observers of a job have recorded, sorted by name, with their
// samples after from and not after until. A zero time means no bound. If a series has more than
// most samples, it is down-sampled: of each stretch of time it keeps the least and the greatest
// value. most is at least 2, or 0 for all samples. The transaction counter's series is in Readings.
func (s *Store) Series(ctx context.Context, id job.ID, from, until time.Time, most int) ([]job.Sampled, error) {
	_, number, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := s.series(ctx, number, from, until, most)
	if err != nil {
		return nil, fmt.Errorf("read the series of job %s: %w", id, err)
	}
	return list, nil
}

func (s *Store) series(ctx context.Context, number int64, from, until time.Time, most int) (list []job.Sampled, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT number, name, unit, labels FROM series WHERE job = ? AND name <> ? ORDER BY name, unit, labels`, number, job.TransactionCounter)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var numbers []int64
	for rows.Next() {
		var of int64
		var one job.Sampled
		var labels []byte
		if err := rows.Scan(&of, &one.Name, &one.Unit, &labels); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(labels, &one.Labels); err != nil {
			return nil, err
		}
		list, numbers = append(list, one), append(numbers, of)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	after, last := bounds(from, until)
	for i, of := range numbers {
		c, err := s.readColumns(ctx, of, after, last)
		if err != nil {
			return nil, err
		}
		c = c.downsample(most)
		points := make([]job.Point, len(c.at))
		for n, at := range c.at {
			points[n] = job.Point{At: time.UnixMilli(at).UTC(), Value: c.values[n]}
		}
		list[i].Points = points
	}
	return list, nil
}

// bounds returns times in milliseconds, as the file stores them. A zero time means no bound.
func bounds(from, until time.Time) (after, last int64) {
	after, last = math.MinInt64, math.MaxInt64
	if !from.IsZero() {
		after = from.UnixMilli()
	}
	if !until.IsZero() {
		last = until.UnixMilli()
	}
	return after, last
}

// Readings yields the transaction counter's readings that were recorded with a job, in order. It
// yields none if no counter was running.
func (s *Store) Readings(ctx context.Context, id job.ID) iter.Seq2[job.Count, error] {
	return func(yield func(job.Count, error) bool) {
		c, err := s.readings(ctx, id)
		if err != nil {
			yield(job.Count{}, fmt.Errorf("read the transaction counts of job %s: %w", id, err))
			return
		}
		for i, at := range c.at {
			if !yield(job.Count{At: time.UnixMilli(at), Rate: c.values[i]}, nil) {
				return
			}
		}
	}
}

func (s *Store) readings(ctx context.Context, id job.ID) (all columns, err error) {
	_, number, err := s.find(ctx, id)
	if err != nil {
		return all, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT number FROM series WHERE job = ? AND name = ?`, number, job.TransactionCounter)
	if err != nil {
		return all, err
	}
	numbers, err := numbersOf(rows)
	if err != nil {
		return all, err
	}
	for _, of := range numbers {
		c, err := s.readColumns(ctx, of, math.MinInt64, math.MaxInt64)
		if err != nil {
			return all, err
		}
		all = all.and(c)
	}
	return all.inOrder(), nil
}
