package repository

import (
	"context"
	"fmt"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Summary returns what was measured in all, and the names of its kinds. For a
// job that is running or was killed it adds up the seconds measured so far.
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

// PhaseSummary returns what the seconds of a phase of a run add up to. Those of the
// measured time add up to less than its Summary where users failed at its end.
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

// OfUser is what a virtual user measured in a phase of a run.
type OfUser struct {
	Position int // 2 for the first user who runs transactions
	Measured meter.CodedSummary
}

// OfUsers returns what each virtual user measured in a phase of a run, by their
// positions. It is kept where a time profile was asked for; there is nothing elsewhere.
func (s *Store) OfUsers(ctx context.Context, id job.ID, phase job.Phase) ([]OfUser, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := s.ofUsers(ctx, number, phase)
	if err != nil {
		return nil, fmt.Errorf("read what each virtual user of job %s measured: %w", j.ID, err)
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

// UserSummary returns what the virtual user at a position measured, and whether
// that was kept: it is where a time profile was asked for. The first position of a
// user who runs transactions is 2.
func (s *Store) UserSummary(ctx context.Context, id job.ID, position int) (meter.Summary, bool, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return meter.Summary{}, false, err
	}
	sum, kept, err := s.userSummary(ctx, number, position)
	if err != nil {
		return sum, false, fmt.Errorf("read what virtual user %d of job %s measured: %w", position, j.ID, err)
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
