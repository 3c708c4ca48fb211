package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/order"
	"sledge/internal/host"
	"sledge/internal/job"
)

// Local does jobs on this machine. It is a job.Runner.
type Local struct {
	catalog.Catalog
	Version string // Sledge's own, for the facts of a job

	// Beside returns what goes on beside a run besides Sledge's own observers. Optional.
	Beside func(Plan) []observer.Observer

	// Through wraps the generator of a run. Optional.
	Through func(order.Generator) order.Generator
}

var _ job.Runner = Local{}

// Do does what spec asks for. The result says how it ended also when there is an
// error.
func (l Local) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	p, err := l.Plan(spec)
	if err != nil {
		return failed(job.Result{Started: time.Now()}, err), job.WithExit(job.ExitUsage, err)
	}
	return l.DoPlan(ctx, p, control)
}

// DoPlan does what the spec of a plan asks for, as Do does, for a caller that has the plan
// already.
func (l Local) DoPlan(ctx context.Context, p Plan, control job.Control) (job.Result, error) {
	started := time.Now()
	f := &feed{watchers: control.Watchers}
	p.Say = f.sayOnce
	f.send(job.Event{Facts: &job.Facts{SledgeVersion: l.Version, Target: p.target(), Host: host.This()}}) // known whether or not a server answers
	result, err := l.perform(ctx, p.Spec.Action, p, f, control.Stop)
	if result.Started.IsZero() {
		result.Started, result.Elapsed = started, time.Since(started).Seconds()
	}
	if err != nil {
		return failed(result, err), err
	}
	if result.Status == "" {
		result.Status = job.Succeeded
	}
	return result, nil
}

// perform does an action, and tells how its first virtual user stands.
func (l Local) perform(ctx context.Context, action job.Action, p Plan, f *feed, stop <-chan struct{}) (result job.Result, err error) {
	if action == job.Run {
		return l.run(p, f, stop).do(ctx)
	}
	f.state(job.Monitor, job.UserRunning)
	switch action {
	case job.Build:
		result, err = build(ctx, p, f)
		err = interrupted(ctx, action, err)
	case job.Check:
		result, err = check(ctx, p, f)
		err = interrupted(ctx, action, err)
	case job.Delete:
		result, err = remove(ctx, p, f)
		err = interrupted(ctx, action, err)
	default:
		err = job.WithExit(job.ExitUsage, fmt.Errorf("there is no action %q", action))
	}
	f.finish(err)
	return result, err
}

// run returns the coordinator of a run, whose users are worked in this process.
func (l Local) run(p Plan, f *feed, stop <-chan struct{}) coordinator {
	c := coordinator{plan: p, feed: f, stop: stop, version: l.Version, generator: func(ctx context.Context, bind binder) order.Generator {
		g := newGenerator(ctx, bind, f)
		if l.Through != nil {
			return l.Through(g)
		}
		return g
	}}
	if l.Beside != nil {
		c.beside = l.Beside(p)
	}
	return c
}

// interrupted says that an action was, where its error comes of that and does not say so:
// each database words it in its own way.
func interrupted(ctx context.Context, action job.Action, err error) error {
	if err == nil || ctx.Err() == nil || job.ExitOf(err) == job.ExitStopped {
		return err
	}
	return job.WithExit(job.ExitStopped, fmt.Errorf("the %s was aborted", action))
}

// failed marks a result with the error it ended with, unless it already says
// how it ended.
func failed(r job.Result, err error) job.Result {
	if r.Status == "" {
		r.Status = job.Failed
	}
	if r.Reason == "" {
		r.Reason = err.Error()
	}
	return r
}

// Plan looks up the names of a spec and binds its options.
func (l Local) Plan(spec job.Spec) (Plan, error) {
	pair, err := l.Pair(spec.Database, spec.Workload)
	if err != nil {
		return Plan{}, err
	}
	if len(spec.Beside) > 0 {
		return bindGroups(l.Catalog, pair, spec)
	}
	return NewPlan(pair, spec)
}

// feed hands events to the watchers one after another, from whichever goroutine
// they come.
type feed struct {
	mu       sync.Mutex
	watchers []job.Watcher

	said sync.Map // the messages of sayOnce
}

// send hands an event to the watchers.
func (f *feed) send(e job.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.At = time.Now()
	for _, w := range f.watchers {
		w.Watch(e)
	}
}

// step sends a step, which begins unless it says otherwise.
func (f *feed) step(position int, s job.Step) {
	if s.Stage == "" {
		s.Stage = job.Begins
	}
	f.send(job.Event{User: position, Step: &s})
}

// state sends how the virtual user at a position stands.
func (f *feed) state(position int, is job.UserState) {
	f.send(job.Event{User: position, State: is})
}

// message sends something in words, of the virtual user at a position or, from 0, of
// the job itself.
func (f *feed) message(position int, format string, args ...any) {
	f.send(job.Event{User: position, Message: fmt.Sprintf(format, args...)})
}

// sayOnce sends a message of the job's own, which others may want to send at the same
// moment.
func (f *feed) sayOnce(text string) {
	if _, already := f.said.LoadOrStore(text, true); !already {
		f.message(0, "%s", text)
	}
}

// tellAs returns what sends events as the virtual user at a position.
func (f *feed) tellAs(position int) func(job.Event) {
	return func(e job.Event) {
		e.User = position
		f.send(e)
	}
}

// finish tells how the first virtual user ended. What ended because another virtual
// user did has been told of that one.
func (f *feed) finish(err error) {
	_, told := errors.AsType[*userError](err)
	switch {
	case err == nil:
		f.state(job.Monitor, job.UserSucceeded)
	case told:
		f.state(job.Monitor, job.UserFailed)
	default:
		f.fail(job.Monitor, err)
	}
}

// fail tells that a virtual user ended with an error, which may know more than its text by a method
// Trouble.
func (f *feed) fail(position int, err error) {
	var trouble job.Trouble
	if knows, ok := errors.AsType[interface {
		error
		Trouble() job.Trouble
	}](err); ok {
		trouble = knows.Trouble()
	}
	trouble.Error = strings.ReplaceAll(err.Error(), "\n", "; ")
	f.send(job.Event{User: position, Trouble: &trouble})
	f.state(position, job.UserFailed)
}

// userError is what a virtual user could not go on for. It has been said.
type userError struct {
	position int
	err      error
}

// Error says which user it was.
func (e *userError) Error() string { return fmt.Sprintf("virtual user %d: %v", e.position, e.err) }
// Unwrap returns the reason.
func (e *userError) Unwrap() error { return e.err }

// connect opens a session, and marks an error as one of connecting.
func connect(ctx context.Context, p Plan, as database.Role) (database.Session, error) {
	defer p.waitFor("an answer from %s", p.target())()
	s, err := p.Database.Connect(ctx, p.Connection, as)
	if err != nil {
		return nil, job.WithExit(exitOfConnect(err), err)
	}
	return s, nil
}

// connectSteady opens a session that Sledge needs for itself.
func connectSteady(ctx context.Context, p Plan) (database.Session, error) {
	s, err := connect(ctx, p, database.Owner)
	if err != nil {
		return nil, err
	}
	return steadied(ctx, p, s)
}

// steadied sets a session right so that it outlasts what the server sets for everybody.
func steadied(ctx context.Context, p Plan, s database.Session) (database.Session, error) {
	if p.Server.Steady == nil {
		return s, nil
	}
	if err := p.Server.Steady(ctx, s); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("set isolation and time-outs of a session: %w", err)
	}
	return s, nil
}

// connectFrom opens a session at one of the servers that the options name, from one of them
// on, the first after the last; and returns which it is.
func connectFrom(ctx context.Context, p Plan, first int, as database.Role) (s database.Session, server int, err error) {
	n := len(p.Targets)
	order := make([]int, n)
	for i := range order {
		order[i] = (first + i) % n
	}
	s, err = database.ConnectFirst(order, func(i int) (database.Session, error) {
		one := p
		one.Connection, server = p.Targets[i], i
		return connect(ctx, one, as)
	})
	return s, server, err
}

// exitOfConnect tells a database that is not there from a server that is not.
func exitOfConnect(err error) job.Exit {
	switch {
	case errors.Is(err, database.ErrMissing):
		return job.ExitMissing
	case errors.Is(err, database.ErrUnfit):
		return job.ExitUsage
	}
	return job.ExitConnect
}

// waitFor says what the job waits for, if that takes longer than noticeable, until done is called.
func (p Plan) waitFor(format string, args ...any) (done func()) {
	if p.Say == nil {
		return func() {}
	}
	timer := time.AfterFunc(noticeable, func() { p.Say("Waiting for " + fmt.Sprintf(format, args...)) })
	return func() { timer.Stop() }
}
