package repository

import (
	"context"
	"fmt"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Summary returns the totals of a job, and the names of its kinds of transaction. For a job that is
// running or was killed, it adds up the seconds so far.
func (s *Store) Summary(ctx context.Context, id job.ID) (meter.Summary, []string, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return meter.Summary{}, nil, err
	}
	total, _, err := s.spans(ctx, `job = ? AND phase = 'total'`, number)
	if err != nil {
		return meter.Summary{}, nil, fmt.Errorf("read the summary of job %s: %w", j.ID, err)
	}
	if len(total) > 0 {
		sum, err := total[0].Second.Measured.Summary()
		return sum, j.Kinds, err
	}
	sum, err := s.phaseSummary(ctx, j, job.Measure)
	return sum, j.Kinds, err
}

// PhaseSummary returns the sum of the seconds of a phase of a run. For the measured time it may be
// less than Summary if users failed at the end.
func (s *Store) PhaseSummary(ctx context.Context, id job.ID, phase job.Phase) (meter.Summary, error) {
	j, _, err := s.find(ctx, id)
	if err != nil {
		return meter.Summary{}, err
	}
	return s.phaseSummary(ctx, j, phase)
}

func (s *Store) phaseSummary(ctx context.Context, j job.Job, phase job.Phase) (meter.Summary, error) {
	sum := meter.NewSummary(len(j.Kinds))
	for e, err := range s.Seconds(ctx, j.ID) {
		if err != nil {
			return sum, err
		}
		if e.Second.Phase != phase {
			continue
		}
		measured := e.Second.Measured
		if len(measured.Kinds) != len(sum.Kinds) {
			return sum, fmt.Errorf("read the summary of job %s: %d kinds of transaction were counted, but %d have a name", j.ID, len(measured.Kinds), len(sum.Kinds))
		}
		if err := sum.AddCoded(measured); err != nil {
			return sum, fmt.Errorf("read the summary of job %s: %w", j.ID, err)
		}
	}
	return sum, nil
}

// OfUser holds the measurements of a virtual user in a phase of a run.
type OfUser struct {
	Position int // 2 for the first user that runs transactions
	Measured meter.CodedSummary
}

// OfUsers returns the measurements of each virtual user in a phase of a run, sorted by position.
// Only runs with a time profile have them.
func (s *Store) OfUsers(ctx context.Context, id job.ID, phase job.Phase) ([]OfUser, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := s.ofUsers(ctx, number, phase)
	if err != nil {
		return nil, fmt.Errorf("read the measurements of each virtual user of job %s: %w", j.ID, err)
	}
	return list, nil
}

func (s *Store) ofUsers(ctx context.Context, job int64, phase job.Phase) (list []OfUser, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT user, elapsed_ns, `+tallyColumns+` FROM user_tally WHERE job = ? AND phase = ? ORDER BY user, kind`, job, phase)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one OfUser
		t, err := scanTally(rows, &one.Position, &one.Measured.Elapsed)
		if err != nil {
			return nil, err
		}
		if n := len(list); n == 0 || list[n-1].Position != one.Position {
			list = append(list, one)
		}
		last := &list[len(list)-1]
		last.Measured.Kinds = append(last.Measured.Kinds, t)
	}
	return list, rows.Err()
}

// UserSummary returns the measurements of the virtual user at a position, and reports whether they
// were recorded. Only runs with a time profile record them. The first user that runs transactions
// has position 2.
func (s *Store) UserSummary(ctx context.Context, id job.ID, position int) (meter.Summary, bool, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return meter.Summary{}, false, err
	}
	sum, kept, err := s.userSummary(ctx, number, position)
	if err != nil {
		return sum, false, fmt.Errorf("read the measurements of virtual user %d of job %s: %w", position, j.ID, err)
	}
	return sum, kept, nil
}

func (s *Store) userSummary(ctx context.Context, job int64, position int) (meter.Summary, bool, error) {
	var coded meter.CodedSummary
	rows, err := s.db.QueryContext(ctx, `SELECT elapsed_ns, `+tallyColumns+` FROM user_tally WHERE job = ? AND user = ? AND phase = 'measure' ORDER BY kind`, job, position)
	if err != nil {
		return meter.Summary{}, false, err
	}
	defer rows.Close()
	for rows.Next() {
		t, err := scanTally(rows, &coded.Elapsed)
		if err != nil {
			return meter.Summary{}, false, err
		}
		coded.Kinds = append(coded.Kinds, t)
	}
	if err := rows.Err(); err != nil || len(coded.Kinds) == 0 {
		return meter.Summary{}, false, err
	}
	sum, err := coded.Summary()
	return sum, err == nil, err
}
