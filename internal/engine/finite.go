package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// workThrough is a run that ends when its work is done, all of which is measured. No monitor
// takes part: the first user says what there is to say of the server.
func workThrough(ctx context.Context, p Plan, f *feed, stop <-chan struct{}, version string) (job.Result, error) {
	defer p.leaveCores()()
	r, err := seatAlone(ctx, p, f, version)
	if err != nil {
		return job.Result{}, err
	}
	defer r.connections.close()
	kinds := len(p.Workload.Kinds)
	m := newMeasurement(kinds)
	serverCount := r.beginServerCount(ctx)
	load := host.StartLoad()
	m.started = time.Now()
	phase := job.PhaseSpan{Name: job.Measure}
	if limited := p.Pacing.Duration; limited < farOff {
		phase.Length = limited
	}
	f.send(job.Event{Phase: &phase})
	if err := r.start(); err != nil {
		return job.Result{}, err
	}
	ended, err := r.phase(ctx, job.Measure, p.Pacing.Duration, stop, meter.NewInterval(kinds), &m.summary)
	m.stopped = ended == stoppedByUser
	overdue := ended == timeUp
	if overdue {
		r.plan.Grace = 0
	}
	r.end(ctx, &m, &m.summary)
	m.client = load.End()
	m.client.WithDatabase = p.Database.Embedded
	m.elapsed = time.Since(m.started)
	m.summary.Elapsed = m.elapsed

	result := job.Result{
		Users: p.Users, Kinds: p.Workload.KindNames(), Started: m.started, Elapsed: m.elapsed.Seconds(),
		Summary: m.summary, Spans: r.spans.all(), Client: &m.client, ServerCount: serverCount(),
	}
	result.Metrics = p.Workload.Score(workload.Window{
		Summary: m.summary, Elapsed: m.elapsed, Users: p.Users, Options: p.Settings, Spans: result.Spans,
	})
	err = r.verdict(ctx, &result, m, err)
	if overdue && r.death() == nil {
		result.Status = job.Partial
		err = job.WithExit(job.ExitStopped, fmt.Errorf("the time limit of %s was over before the work was done: the result is partial", p.Pacing.Duration))
		result.Reason = err.Error()
	}
	headline := result
	f.send(job.Event{User: p.firstWorker(), Headline: &headline})
	explain(ctx, p, f, &result, stop)
	if err == nil || result.Status == job.Invalid {
		err = errors.Join(err, tidyUp(ctx, p, f, &result, stop))
	}
	return result, err
}

// spans keeps the transactions of a run, which are few, and tells of each when it begins and
// when it ends.
type spans struct {
	run *run

	mu   sync.Mutex
	list []job.Span
}

// openSpan is a transaction under way.
type openSpan struct {
	job.Span
	failure error // of its last try
}

// begin tells that a user begins a transaction, and returns what tells how it ended.
func (s *spans) begin(u *user, c *connection, t workload.Transaction) (end func()) {
	r := s.run
	spanner := c.Executor.(workload.Spanner)
	of := spanner.Span(t)
	u.span = &openSpan{Span: job.Span{
		User: r.plan.position(u.number), Kind: r.plan.Workload.Kinds[t.Kind].Name,
		Stream: of.Stream, Set: of.Set, Number: of.Number, Of: of.Of,
		From: time.Since(r.began).Seconds(),
	}}
	begun := u.span.Span
	r.feed.send(job.Event{User: begun.User, Span: &begun})
	return func() {
		span := u.span.Span
		u.span = nil
		if span.Outcome == "" {
			span.Outcome, span.Seconds = job.SpanCutOff, time.Since(r.began).Seconds()-span.From
		}
		after := spanner.Span(t)
		if span.Done() {
			span.Rows = after.Rows
		}
		if after.Answer != nil {
			after.Answer.Kind = span.Kind
			r.feed.send(job.Event{User: span.User, Answer: after.Answer})
		}
		s.mu.Lock()
		s.list = append(s.list, span)
		s.mu.Unlock()
		r.feed.send(job.Event{User: span.User, Span: &span})
	}
}

// ended notes how the transaction ended.
func (o *openSpan) ended(r meter.Record) {
	o.Seconds, o.Retries = r.Service.Seconds(), int(r.Retries)
	switch r.Outcome {
	case meter.Failed:
		o.Outcome, o.Class, o.Message = job.SpanFailed, r.Class.String(), o.failure.Error()
	default:
		o.Outcome = job.SpanDone
	}
}

// all returns the transactions that have ended.
func (s *spans) all() []job.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}
