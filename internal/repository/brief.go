package repository

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Rates yields the rates of a job's seconds in order, for charts. It includes the ramp-up, and only
// seconds that ended after from and not after until. A zero time means no bound.
func (s *Store) Rates(ctx context.Context, id job.ID, from, until time.Time) iter.Seq2[job.Rate, error] {
	first, last := bounds(from, until)
	return pages(s, ctx, id, "seconds", func(number, after int64) ([]job.Rate, int64, error) {
		return s.rates(ctx, number, after, first, last)
	})
}

// brief is a meter.Brief as the repository stores it.
type brief struct {
	ended, failed sql.NullInt64 // not valid in spans of older versions
	response      []byte
}

// briefOf summarizes a span. It ignores a tally that cannot be decoded: reading the tally itself
// returns the error.
func briefOf(c meter.CodedSummary) brief {
	b, err := c.Brief()
	if err != nil {
		return brief{}
	}
	kept := brief{ended: sql.NullInt64{Int64: b.Ended, Valid: true}, failed: sql.NullInt64{Int64: b.Failed, Valid: true}}
	if b.Response != nil {
		kept.response, err = b.Response.MarshalBinary()
	}
	if err != nil {
		return brief{}
	}
	return kept
}

// briefColumns is tallyColumns with constants for the columns that a brief does not need.
const briefColumns = `done, rolled_back, 0, failed, NULL, response, 0, 0, 0`

// rates reads one page.
func (s *Store) rates(ctx context.Context, of, after, first, last int64) ([]job.Rate, int64, error) {
	list, numbers, missing, err := s.keptRates(ctx, of, after, first, last)
	if err != nil || len(list) == 0 {
		return nil, 0, err
	}
	if len(missing) > 0 {
		wanted, spans := make([]int64, len(missing)), make([]meter.CodedSummary, len(missing))
		for i, u := range missing {
			wanted[i] = numbers[u.place]
		}
		add := func(place int, t meter.CodedTally) { spans[place].Kinds = append(spans[place].Kinds, t) }
		if err := s.tallies(ctx, wanted, briefColumns, add); err != nil {
			return nil, 0, err
		}
		for i, u := range missing {
			b, err := spans[i].Brief()
			if err != nil {
				return nil, 0, err
			}
			addBrief(&list[u.place], b, u.elapsed)
		}
	}
	return list, numbers[len(numbers)-1], nil
}

// addBrief adds the measurements of a span to a rate.
func addBrief(r *job.Rate, b meter.Brief, elapsed time.Duration) {
	r.Failed, r.Response = b.Failed, b.Response
	if elapsed > 0 {
		client := float64(b.Ended) / elapsed.Minutes()
		r.Client = &client
	}
}

// unkept is a rate that a span's row lacks, because an older version wrote it. The rate is computed
// from the tallies of the span.
type unkept struct {
	place   int
	elapsed time.Duration
}

// keptRates reads one page of rates and the numbers of their rows. missing lists the rates that the
// rows lack.
func (s *Store) keptRates(ctx context.Context, of, after, first, last int64) (list []job.Rate, numbers []int64, missing []unkept, err error) {
	rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, at_ms, phase, offset_ns, elapsed_ns, server_tpm, ended, failed, response
		FROM span WHERE job = ? AND number > ? AND phase <> 'total' AND at_ms > ? AND at_ms <= ? ORDER BY number LIMIT %d`, pageRows), of, after, first, last)
	if err != nil {
		return nil, nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r job.Rate
		var kept brief
		var number, at int64
		var offset, elapsed time.Duration
		if err := rows.Scan(&number, &at, &r.Phase, &offset, &elapsed, &r.ServerTPM, &kept.ended, &kept.failed, &kept.response); err != nil {
			return nil, nil, nil, err
		}
		r.At, r.Offset = time.UnixMilli(at).UTC(), offset.Seconds()
		if kept.ended.Valid {
			b := meter.Brief{Ended: kept.ended.Int64, Failed: kept.failed.Int64}
			if kept.response != nil {
				b.Response = new(meter.Latency)
				if err := b.Response.UnmarshalBinary(kept.response); err != nil {
					return nil, nil, nil, err
				}
			}
			addBrief(&r, b, elapsed)
		} else {
			missing = append(missing, unkept{len(list), elapsed})
		}
		list, numbers = append(list, r), append(numbers, number)
	}
	return list, numbers, missing, errors.Join(rows.Err(), rows.Close())
}
