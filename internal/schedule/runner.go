package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
)

// Runner starts the schedules of a repository. Of several programs that run one, each start is taken
// by one.
type Runner struct {
	Store *repository.Store

	// Start starts the set-up of a schedule, and returns the first job. A MissedError means that it did
	// not try.
	Start func(ctx context.Context, s repository.Schedule) (job.ID, error)

	Say     func(line string) // reports that the repository cannot be used
	Changed <-chan struct{}   // makes Run look at the schedules again
}

// MissedError is the reason why a start was not tried.
type MissedError struct{ Reason string }

// Error implements error.
func (e *MissedError) Error() string { return e.Reason }

const (
	patience   = time.Minute      // a start that is later than this is missed
	lookAgain  = 30 * time.Second // because clocks are set, machines sleep, and other programs change schedules
	mostMissed = 1000             // counted missed starts of one schedule
)

// Run starts what is due until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.Changed:
		case <-time.After(r.startDue(ctx)):
		}
	}
}

// startDue starts what is due, one after another, so that a start sees the job of the one before. It
// returns the time until the next start.
func (r *Runner) startDue(ctx context.Context) (wait time.Duration) {
	list, err := r.Store.Schedules(ctx)
	wait = lookAgain
	for _, s := range list {
		switch until := time.Until(s.Next); {
		case !s.Enabled || s.Next.IsZero():
		case until > 0:
			wait = min(wait, until)
		default:
			if err = errors.Join(err, r.take(ctx, s)); err == nil {
				wait = 0 // the next start may be due, too
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		r.Say(fmt.Sprintf("schedules: %v", err))
		return lookAgain
	}
	return wait
}

// take takes a start that is due, and starts it unless it is too late.
func (r *Runner) take(ctx context.Context, s repository.Schedule) error {
	start := repository.ScheduledStart{
		Schedule: s.Number, Due: s.Next, Outcome: repository.Missed, Times: 1,
		Reason: "the server ended before a job began",
	}
	late := time.Since(s.Next) > patience
	next, times, invalid := following(s, late)
	switch {
	case invalid != nil:
		start.Outcome, start.Reason = repository.Failed, invalid.Error()
	case late:
		start.Times = times
		start.Reason = "no server was running at that time, or it was suspended or busy"
	}
	start, taken, err := r.Store.TakeStart(ctx, start, next)
	if err != nil || !taken || late || invalid != nil {
		return err
	}
	start.Job, err = r.Start(ctx, s)
	_, missed := errors.AsType[*MissedError](err)
	switch {
	case missed:
		start.Reason = err.Error()
	case err != nil:
		start.Outcome, start.Reason = repository.Failed, job.Cut(err.Error(), job.LongestText)
	default:
		start.Outcome, start.Reason = repository.Started, ""
	}
	return r.Store.SettleStart(context.WithoutCancel(ctx), start)
}

// following returns the start after the one that is due, or the zero time. If that one is late, it
// skips all starts that are late, and counts them.
func following(s repository.Schedule, late bool) (next time.Time, times int, err error) {
	if s.Cron == "" {
		return time.Time{}, 1, nil
	}
	t, err := Parse(s.Cron, s.Zone)
	if err != nil {
		return time.Time{}, 1, err
	}
	next, err = t.After(s.Next)
	for times = 1; late && err == nil && time.Since(next) > patience; times++ {
		if times == mostMissed {
			next, err = t.After(time.Now().Add(-patience))
			return next, times, err
		}
		next, err = t.After(next)
	}
	return next, times, err
}
