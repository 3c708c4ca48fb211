package repository

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// BriefSecond is a StoredSecond as a chart shows it.
type BriefSecond struct {
	At        time.Time
	Phase     job.Phase
	Offset    time.Duration
	Elapsed   time.Duration
	ServerTPM *float64
	meter.Brief
}

// Briefs yields what was measured in brief, in order, ramp-up included: of the seconds that
// ended after from and not after until. Zero times are no bounds.
func (s *Store) Briefs(ctx context.Context, id job.ID, from, until time.Time) iter.Seq2[BriefSecond, error] {
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	if !from.IsZero() {
		first = from.UnixMilli()
	}
	if !until.IsZero() {
		last = until.UnixMilli()
	}
	return pages(s, ctx, id, "seconds", func(job, after int64) ([]BriefSecond, int64, error) {
		return s.briefs(ctx, job, after, first, last)
	})
}

// brief is a meter.Brief as it is kept.
type brief struct {
	ended, failed sql.NullInt64 // not valid in a span from before it was kept
	response      []byte
}

// briefOf sums up a span. What cannot be is left to who reads its tallies, and is told then.
func briefOf(s StoredSecond) brief {
	b, err := meter.CodedSummary{Elapsed: s.Elapsed, Kinds: s.Tallies}.Brief()
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

// briefColumns are tallyColumns without those that nothing brief is made of.
const briefColumns = `done, rolled_back, 0, failed, NULL, response, 0, 0, 0`

// briefs reads one page.
func (s *Store) briefs(ctx context.Context, job, after, first, last int64) ([]BriefSecond, int64, error) {
	list, numbers, unsaid, err := s.keptBriefs(ctx, job, after, first, last)
	if err != nil || len(list) == 0 {
		return nil, 0, err
	}
	if len(unsaid) > 0 {
		wanted, spans := make([]int64, len(unsaid)), make([]StoredSecond, len(unsaid))
		for i, place := range unsaid {
			wanted[i] = numbers[place]
		}
		if err := s.addTallies(ctx, spans, wanted, briefColumns); err != nil {
			return nil, 0, err
		}
		for i, place := range unsaid {
			if list[place].Brief, err = (meter.CodedSummary{Kinds: spans[i].Tallies}).Brief(); err != nil {
				return nil, 0, err
			}
		}
	}
	return list, numbers[len(numbers)-1], nil
}

// keptBriefs reads one page as it is kept, the numbers of its rows, and the places in the page
// of those that are only in their tallies.
func (s *Store) keptBriefs(ctx context.Context, job, after, first, last int64) (list []BriefSecond, numbers []int64, unsaid []int, err error) {
	rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT number, at_ms, phase, offset_ns, elapsed_ns, server_tpm, ended, failed, response
		FROM span WHERE job = ? AND number > ? AND phase <> 'total' AND at_ms > ? AND at_ms <= ? ORDER BY number LIMIT %d`, pageRows), job, after, first, last)
	if err != nil {
		return nil, nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var b BriefSecond
		var kept brief
		var number, at int64
		if err := rows.Scan(&number, &at, &b.Phase, &b.Offset, &b.Elapsed, &b.ServerTPM, &kept.ended, &kept.failed, &kept.response); err != nil {
			return nil, nil, nil, err
		}
		if !kept.ended.Valid {
			unsaid = append(unsaid, len(list))
		}
		b.At = time.UnixMilli(at)
		b.Ended, b.Failed = kept.ended.Int64, kept.failed.Int64
		if kept.response != nil {
			b.Response = new(meter.Figures)
			if err := b.Response.UnmarshalBinary(kept.response); err != nil {
				return nil, nil, nil, err
			}
		}
		list, numbers = append(list, b), append(numbers, number)
	}
	return list, numbers, unsaid, errors.Join(rows.Err(), rows.Close())
}
