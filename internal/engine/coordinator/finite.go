package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// runFinite performs a run that ends when its work is done. All its work is measured. It has no
// monitor, so the first user emits the messages about the server.
func runFinite(ctx context.Context, c Run) (job.Result, error) {
	p, f, stop := c.Plan, c.Feed, c.Stop
	r, err := prepareWithoutMonitor(ctx, c)
	if err != nil {
		return job.Result{}, err
	}
	defer r.leave()
	defer r.link.close()
	defer func() { r.beside.End(nil) }()
	r.observe(ctx, r.serverCount()...)
	m, ended, err := r.measureUntilDone(ctx, p.Pacing.Duration, stop)
	overdue := err == nil && ended == timeUp
	if overdue {
		r.grace = 0
	}
	r.end(ctx, &m)

	g := r.groups[0]
	result := job.Result{
		Extent:   job.Extent{Users: p.Users, Connecting: r.connecting.Seconds(), Started: m.started, Elapsed: m.elapsed.Seconds()},
		Measured: job.Measured{Kinds: p.Workload.KindNames(), Summary: g.totals.Summary, LastFailures: g.totals.Failures},
		Queries:  job.Queries{Spans: g.totals.Spans},
		Beside:   job.Beside{Client: clientLoad(r.plan, m)},
	}
	r.beside.End(&result)
	r.course.describe(&result, r.serverMachine(), r.steadyLoad())
	window := workload.Window{
		Summary: result.Summary, Elapsed: m.elapsed, Users: p.Users, Terminals: p.Terminals(), Names: result.Kinds, Options: p.Settings, Survey: g.Survey, Spans: result.Spans,
	}
	if didAnything(result.Summary) {
		result.Metrics = p.Workload.Score.Of(window)
	}
	if p.Workload.Score.Remarks != nil {
		result.Remarks = p.Workload.Score.Remarks(window)
	}
	result.Traits = append(traitsOf(g, window), r.traits(result, m)...)
	err = r.verdict(ctx, &result, m, err)
	if overdue && r.link.death() == nil {
		result.Status = job.Partial
		err = job.WithExit(job.ExitStopped, fmt.Errorf("the time limit of %s was over before the work was done: the result is partial", p.Pacing.Duration))
		result.Reason = err.Error()
	}
	err = judge(p, &result, err)
	headline := result
	f.Send(job.Event{User: p.FirstWorker(), Headline: &headline})
	explain(ctx, r.plan, f, &result, stop) // with the names of the tables in this database
	if err == nil || result.Status.Whole() {
		err = errors.Join(err, maintain(ctx, p.Job, f, &result, stop))
	}
	return result, err
}

// measureUntilDone measures the users' work from start to end.
func (r *run) measureUntilDone(ctx context.Context, limit time.Duration, stop <-chan struct{}) (m measurement, ended ending, err error) {
	m = measurement{start: r.groups.newReading(), end: r.groups.newReading()}
	watch := &watch{run: r}
	if _, err := r.mark(order.Phase{Name: job.Measure, Length: limit}, watch); err != nil {
		return m, usersEnded, err
	}
	m.started = time.Now()
	r.course.begin(m.started, r.machine)
	if err := r.link.start(); err != nil {
		return m, usersEnded, err
	}
	ended, err = r.await(ctx, job.Measure, m.started, limit, stop, watch)
	m.stopped = ended == stoppedByUser
	r.course.end(time.Now())
	if _, lost := r.mark(order.Phase{Name: job.Finish}, watch); err == nil {
		err = lost
	}
	return m, ended, err
}
