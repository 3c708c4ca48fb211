package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// rehearse is the test driver: each user does its iterations and says what
// each of them brought. They have no monitor and no headline.
func rehearse(ctx context.Context, c coordinator) (job.Result, error) {
	p, f := c.plan, c.feed
	r, err := prepareAlone(ctx, c)
	if err != nil {
		return job.Result{}, err
	}
	defer r.leave()
	defer r.close()
	f.send(job.Event{Phase: &job.PhaseSpan{Name: job.Measure}})
	m, _, err := r.measureAll(ctx, math.MaxInt64, c.stop)
	r.end(ctx, &m)
	summary := r.groups[0].totals.Summary
	for i := range summary.Kinds {
		f.message(0, "%s", outcomes(p.Workload.Kinds[i].Name, &summary.Kinds[i]))
	}
	result := job.Result{
		Users: p.Users, Kinds: p.Workload.KindNames(), Started: m.started, Elapsed: m.elapsed.Seconds(), Summary: summary,
	}
	return result, r.verdict(ctx, &result, m, err)
}

// prepareAlone prepares a run without a monitor.
// The first user says what went wrong.
func prepareAlone(ctx context.Context, c coordinator) (r *run, err error) {
	p := c.plan
	session, err := connectSteady(ctx, p)
	release := func() error { return nil }
	if err == nil {
		release, err = shareClaim(ctx, p, session)
	}
	if err == nil {
		if r, err = prepare(ctx, c, session); err != nil {
			_ = release()
		}
	}
	if err == nil {
		r.leave = func() { _ = release(); closeQuietly(&session) }
		return r, nil
	}
	closeQuietly(&session)
	if _, said := errors.AsType[*userError](err); !said {
		c.feed.fail(p.firstWorker(), err)
	}
	return nil, interrupted(ctx, job.Run, err)
}

// outcomes says how many transactions of a kind ended in which way.
func outcomes(name string, t *meter.Tally) string {
	return fmt.Sprintf("%s: %d done, %d rolled back, %d failed, %d retried", name, t.Done, t.RolledBack, t.Failures(), t.Retried)
}

// narrator is an executor that says what it does, and what came of it.
type narrator struct {
	workload.Executor
	kinds []workload.Kind
	tell  func(job.Event)
}

// Do implements workload.Executor.
func (s *narrator) Do(ctx context.Context, t workload.Transaction) error {
	name := s.kinds[t.Kind].Name
	s.tell(job.Event{Message: name})
	err := s.Executor.Do(ctx, t)
	teller, tells := s.Executor.(workload.Teller)
	switch {
	case err != nil:
		s.tell(job.Event{Message: fmt.Sprintf("%s : %v", name, err)})
	case tells:
		s.tell(job.Event{Message: teller.Outcome()})
	}
	return err
}
