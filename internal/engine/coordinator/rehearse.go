package coordinator

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// rehearse runs the test driver: each user does its iterations and reports the outcome of each.
// There is no monitor and no headline.
func rehearse(ctx context.Context, c Run) (job.Result, error) {
	p, f := c.Plan, c.Feed
	r, err := prepareWithoutMonitor(ctx, c)
	if err != nil {
		return job.Result{}, err
	}
	defer r.leave()
	defer r.link.close()
	f.Send(job.Event{Phase: &job.PhaseSpan{Name: job.Measure}})
	m, _, err := r.measureUntilDone(ctx, math.MaxInt64, c.Stop)
	r.end(ctx, &m)
	summary := r.groups[0].totals.Summary
	for i := range summary.Kinds {
		f.Message(0, "%s", outcomes(p.Workload.Kinds[i].Name, &summary.Kinds[i]))
	}
	result := job.Result{
		Extent:   job.Extent{Users: p.Users, Connecting: r.connecting.Seconds(), Started: m.started, Elapsed: m.elapsed.Seconds()},
		Measured: job.Measured{Kinds: p.Workload.KindNames(), Summary: summary},
	}
	return result, r.verdict(ctx, &result, m, err)
}

// prepareWithoutMonitor prepares a run without a monitor. The first user reports errors.
func prepareWithoutMonitor(ctx context.Context, c Run) (r *run, err error) {
	p := c.Plan
	session, err := target.ConnectSteady(ctx, p.Job)
	release := func() error { return nil }
	if err == nil {
		release, err = target.ShareClaim(ctx, p.Job, session)
	}
	if err == nil {
		if r, err = prepare(ctx, c, session); err != nil {
			_ = release()
		}
	}
	if err == nil {
		r.leave = func() { _ = release(); target.CloseQuietly(&session) }
		return r, nil
	}
	target.CloseQuietly(&session)
	if _, said := errors.AsType[*feed.Error](err); !said {
		c.Feed.Fail(p.FirstWorker(), err)
	}
	return nil, target.Interrupted(ctx, job.Run, err)
}

// outcomes returns the number of transactions of a kind by outcome.
func outcomes(name string, t *meter.Tally) string {
	return fmt.Sprintf("%s: %d done, %d rolled back, %d failed, %d retried", name, t.Done, t.RolledBack, t.Failures(), t.Retried)
}
