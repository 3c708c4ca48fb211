// Package experiment runs several jobs under one plan: it decides their order, their profile number
// and which run is the last. A front end does each run and shows it.
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

// Sweep is a plan: runs with different numbers of virtual users, which are a performance profile.
type Sweep struct {
	Profile int              // number of the profile; 0 if the runs have no number
	Orders  []settings.Order // one for each run
}

// NewSweep returns the sweep of some orders, which become part of a profile. If profile is 0, it is a
// new one, whose number store reserves; without a store it has no number.
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
	Jobs    []job.Job // its runs, in their order, as they ended
	Failure error     // why the other runs were not done, with its exit code; or nil
	Missed  error     // which runs missed a threshold; or nil
}

// Err returns all that went wrong.
func (o Outcome) Err() error { return errors.Join(o.Failure, o.Missed) }

// Run does the runs one after another. A run that fails or is stopped is the last, and so is the one
// during which ctx ends. A run that missed a threshold is not, because the others may meet it. run
// returns the job as it ended, with its error; a job without a status was not begun.
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
