// Package experiment performs several runs: it decides their order, their profile number and when
// to stop. It does not show runs.
package experiment

import (
	"context"
	"errors"
	"fmt"

	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// Sweep is a plan of runs with different numbers of virtual users, which form a performance
// profile.
type Sweep struct {
	Profile int              // number of the profile; 0 if the runs have no number
	Orders  []settings.Order // one for each run
}

// NewSweep returns the sweep of some orders, which become part of a profile. If profile is 0, store
// reserves the number of a new profile; without a store the profile has no number.
func NewSweep(ctx context.Context, store *repository.Store, profile int, orders []settings.Order) (Sweep, error) {
	if profile == 0 && store != nil {
		var err error
		if profile, err = store.NextProfile(ctx); err != nil {
			return Sweep{}, err
		}
	}
	for i := range orders {
		orders[i].Profile = profile
	}
	return Sweep{Profile: profile, Orders: orders}, nil
}

// Outcome is how a sweep ended.
type Outcome struct {
	Jobs    []job.Job // the ended runs, in order
	Failure error     // why the remaining runs were skipped, with its exit code; or nil
	Missed  error     // which runs missed a threshold; or nil
}

// Err returns all errors.
func (o Outcome) Err() error { return errors.Join(o.Failure, o.Missed) }

// Run performs the runs one after another. It stops after a run that fails or is stopped, and when
// ctx ends. It continues after a run that missed a threshold, because the others may meet it. run
// returns the ended job with its error; a job without a status did not begin.
func (s Sweep) Run(ctx context.Context, run func(number int, order settings.Order) (job.Job, error)) (o Outcome) {
	o.Failure = Repeat(ctx, len(s.Orders), 0, func(number int) error {
		j, err := run(number, s.Orders[number])
		if j.Status != "" {
			o.Jobs = append(o.Jobs, j)
		}
		if j.Status != job.Missed {
			return err
		}
		o.Missed = errors.Join(o.Missed, fmt.Errorf("%s: %w", report.VirtualUsers(j.Spec.Users), err))
		return nil
	})
	return o
}
