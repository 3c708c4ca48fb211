package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// workThrough is a run that ends when its work is done, all of which is measured. No monitor
// takes part: the first user says what there is to say of the server.
func workThrough(ctx context.Context, c coordinator) (job.Result, error) {
	p, f, stop := c.plan, c.feed, c.stop
	r, err := prepareAlone(ctx, c)
	if err != nil {
		return job.Result{}, err
	}
	defer r.leave()
	defer r.close()
	defer func() { r.beside.End(nil) }()
	r.observe(ctx, r.serverCount()...)
	m, ended, err := r.measureAll(ctx, p.Pacing.Duration, stop)
	overdue := err == nil && ended == timeUp
	if overdue {
		r.grace = 0
	}
	r.end(ctx, &m)

	g := r.groups[0]
	result := job.Result{
		Users: p.Users, Kinds: p.Workload.KindNames(), Started: m.started, Elapsed: m.elapsed.Seconds(),
		Summary: g.totals.Summary, LastFailures: g.totals.Failures, Spans: g.totals.Spans, Client: r.clientLoad(m),
	}
	r.beside.End(&result)
	window := workload.Window{
		Summary: result.Summary, Elapsed: m.elapsed, Users: p.Users, Options: p.Settings, Survey: g.survey, Spans: result.Spans,
	}
	if didAnything(result.Summary) {
		result.Metrics = p.Workload.Score(window)
	}
	if p.Workload.Remarks != nil {
		result.Remarks = p.Workload.Remarks(window)
	}
	err = r.verdict(ctx, &result, m, err)
	if overdue && r.reports.death() == nil {
		result.Status = job.Partial
		err = job.WithExit(job.ExitStopped, fmt.Errorf("the time limit of %s was over before the work was done: the result is partial", p.Pacing.Duration))
		result.Reason = err.Error()
	}
	err = judge(p, &result, err)
	headline := result
	f.send(job.Event{User: p.firstWorker(), Headline: &headline})
	explain(ctx, r.plan, f, &result, stop) // whose SQL has the names that tables have here
	if err == nil || result.Status.Whole() {
		err = errors.Join(err, maintain(ctx, p, f, &result, stop))
	}
	return result, err
}

// measureAll lets users work until their work is done, all of which is measured.
func (r *run) measureAll(ctx context.Context, limit time.Duration, stop <-chan struct{}) (m measurement, ended ending, err error) {
	m = measurement{start: r.newReading(), end: r.newReading()}
	watch := newWatch(r)
	if _, err := r.mark(order.Phase{Name: job.Measure, Length: limit}, watch); err != nil {
		return m, usersEnded, err
	}
	m.started = time.Now()
	if err := r.start(); err != nil {
		return m, usersEnded, err
	}
	ended, err = r.await(ctx, job.Measure, m.started, limit, stop, watch)
	m.stopped = ended == stoppedByUser
	if _, lost := r.mark(order.Phase{Name: job.Finish}, watch); err == nil {
		err = lost
	}
	return m, ended, err
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

func newStages(names []string, users int) *stages {
	return &stages{names: names, users: users, next: make(chan struct{})}
}

// name returns the name of a stage; "" in runs that have none.
func (s *stages) name(stage int) string {
	if s == nil {
		return ""
	}
	return s.names[stage]
}

// tell says that the stage begins.
func (s *stages) tell(g *group) {
	phase := job.PhaseSpan{Name: job.Measure, Stage: s.names[s.now]}
	if limited := g.plan.Pacing.Duration; limited < farOff {
		phase.Length = limited
	}
	g.feed.send(job.Event{Phase: &phase})
}

// wait returns when all users are through with the stage, or false when the run ends first.
func (s *stages) wait(g *group) bool {
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
func (u *user) workThrough(g *group) error {
	if g.stages == nil {
		return u.work(g)
	}
	for i, name := range g.stages.names {
		if i > 0 {
			if !g.stages.wait(g) {
				return nil
			}
			u.assign(g, name)
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
	group *group

	mu   sync.Mutex
	list []job.Span
}

// openSpan is a transaction in flight.
type openSpan struct {
	job.Span
	failure error // of its last try
}

// begin tells that a user begins a transaction, and returns what tells how it ended.
func (s *spans) begin(u *user, c *connection, t workload.Transaction) (end func()) {
	r := s.group
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
