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
	r, err := seatAlone(ctx, p, f, version)
	if err != nil {
		return job.Result{}, err
	}
	defer r.leave()
	defer r.connections.close()
	defer func() { r.beside.End(nil) }()
	defer host.UseCores(r.cores)()
	kinds := len(p.Workload.Kinds)
	m := newMeasurement(kinds)
	r.observe(ctx, r.serverCount()...)
	r.load = host.StartLoad()
	m.started = time.Now()
	r.stages.tell(r.generator)
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
	m.client = r.load.End()
	m.client.WithDatabase = p.Database.Embedded
	r.attribute(&m.client)
	m.elapsed = time.Since(m.started)
	m.summary.Elapsed = m.elapsed

	result := job.Result{
		Users: p.Users, Kinds: p.Workload.KindNames(), Started: m.started, Elapsed: m.elapsed.Seconds(),
		Summary: m.summary, LastFailures: r.failures(m.summary), Spans: r.spans.all(), Client: &m.client,
	}
	r.beside.End(&result)
	window := workload.Window{
		Summary: m.summary, Elapsed: m.elapsed, Users: p.Users, Options: p.Settings, Survey: r.survey, Spans: result.Spans,
	}
	if didAnything(m.summary) {
		result.Metrics = p.Workload.Score(window)
	}
	if p.Workload.Remarks != nil {
		result.Remarks = p.Workload.Remarks(window)
	}
	err = r.verdict(ctx, &result, m, err)
	if overdue && r.death() == nil {
		result.Status = job.Partial
		err = job.WithExit(job.ExitStopped, fmt.Errorf("the time limit of %s was over before the work was done: the result is partial", p.Pacing.Duration))
		result.Reason = err.Error()
	}
	err = p.judge(&result, err)
	headline := result
	f.send(job.Event{User: p.firstWorker(), Headline: &headline})
	explain(ctx, r.plan, f, &result, stop) // whose SQL has the names that tables have here
	if err == nil || result.Status.Whole() {
		err = errors.Join(err, tidyUp(ctx, p, f, &result, stop))
	}
	return result, err
}

// stages are the parts of a run that ends when its work is done: each begins when all users
// have no more work in the one before.
type stages struct {
	names []string // one at least
	users int

	mu      sync.Mutex
	now     int           // the number of the stage
	waiting int           // users that are through with it
	next    chan struct{} // closed when the next one begins
}

func newStages(p Plan, survey any) (*stages, error) {
	s := &stages{names: []string{""}, users: p.Users, next: make(chan struct{})}
	if p.Workload.Stages == nil {
		return s, nil
	}
	names, err := p.Workload.Stages(p.Settings, p.Users, survey)
	if err != nil {
		return nil, job.WithExit(job.ExitUsage, err)
	}
	if len(names) > 0 {
		s.names = names
	}
	return s, nil
}

// name returns the name of a stage; "" in runs that have none.
func (s *stages) name(stage int) string {
	if s == nil {
		return ""
	}
	return s.names[stage]
}

// tell says that the stage begins.
func (s *stages) tell(g *generator) {
	phase := job.PhaseSpan{Name: job.Measure, Stage: s.names[s.now]}
	if limited := g.plan.Pacing.Duration; limited < farOff {
		phase.Length = limited
	}
	g.feed.send(job.Event{Phase: &phase})
}

// wait returns when all users are through with the stage, or false when the run ends first.
func (s *stages) wait(g *generator) bool {
	s.mu.Lock()
	s.waiting++
	next := s.next
	if s.waiting == s.users {
		s.now, s.waiting, s.next = s.now+1, 0, make(chan struct{})
		s.tell(g)
		close(next)
	}
	s.mu.Unlock()
	select {
	case <-next:
		return !g.stopping.Load()
	case <-g.stopped:
		return false
	}
}

// workThrough works through all stages of a run, of which one without stages is one.
func (u *user) workThrough(g *generator) error {
	if g.stages == nil {
		return u.work(g)
	}
	for i, name := range g.stages.names {
		if i > 0 {
			if !g.stages.wait(g) {
				return nil
			}
			u.sit(g, name)
		}
		u.stage = name
		if err := u.work(g); err != nil {
			return err
		}
	}
	u.through = !g.stopping.Load()
	return nil
}

// spans keeps the transactions of a run, which are few, and tells of each when it begins and
// when it ends.
type spans struct {
	generator *generator

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
	r := s.generator
	spanner := c.Executor.(workload.Spanner)
	of := spanner.Span(t)
	u.span = &openSpan{Span: job.Span{
		User: r.plan.position(u.number), Kind: r.plan.Workload.Kinds[t.Kind].Name,
		Stage: u.stage, Stream: of.Stream, Set: of.Set, Number: of.Number, Of: of.Of,
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
