package generator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// pickFor chooses a transaction for an arrival. If kinds have rates, the arrival's source
// determines the kind; otherwise the terminal chooses.
//
// It is part of the hot path.
func (u *user) pickFor(g *group, source int) (workload.Transaction, bool) {
	if g.plan.Kinds == nil {
		return u.Pick()
	}
	return u.Terminal.(workload.KindPicker).PickKind(g.plan.Kinds[source])
}

// mark encodes the scheduled start of a transaction in flight, since users began. The result is
// never 0, because 0 means that no transaction is in flight.
func mark(intended time.Duration) int64 {
	if intended == 0 {
		return 1
	}
	return int64(intended)
}

// user is a virtual user, or one of its asynchronous clients. It consists of a terminal, which
// chooses transactions, and everything needed to execute and retry them.
type user struct {
	workload.Terminal
	number     int    // number among all terminals, from 0
	virtual    int    // the number of the virtual user, from 0
	router     router // nil before it has logged in
	stripe     *meter.Stripe
	commits    *commits  // nil if no ledger is kept
	span       *openSpan // span of the transaction in flight, if spans are recorded
	stage      string    // current stage of the run
	allDone    bool      // it has done all its work of a finite run
	begun      bool      // it has begun a transaction, or has none to begin
	scheduled  time.Time // start of its first transaction; zero before the user runs
	reconnects int       // number of its reconnections
	task       loop.Task // runs it; nil before it works

	shifts []load.Shift // its remaining shifts
	until  time.Time    // end of the current shift: it begins no transaction from then on

	currentTransaction
	queueEntry
	eventSender
}

// currentTransaction describes a user's transaction in flight to other goroutines.
type currentTransaction struct {
	intended atomic.Int64 // its scheduled start, in nanoseconds since users began, or 0 if there is no transaction
	kind     atomic.Int32
	on       atomic.Pointer[connection] // the user's connection, or nil
}

// queueEntry is a user's entry in the queue for a shared connection.
type queueEntry struct {
	queued bool        // the user waits
	handed *connection // the connection that it got, or nil
	behind *user       // the next user in the queue
}

// eventSender sends a user's events. It holds back events until the user runs, because they must
// follow the event of that state.
type eventSender struct {
	held    []job.Event
	running bool
	send    func(job.Event)
}

// tell implements the Tell of the user's Slot.
func (v *eventSender) tell(e job.Event) {
	if !v.running {
		v.held = append(v.held, e)
		return
	}
	v.send(e)
}

// sendHeld sends the held events. Later events are sent at once.
func (v *eventSender) sendHeld() {
	for _, e := range v.held {
		v.send(e)
	}
	v.held, v.running = nil, true
}

// connectUsers creates the users. It opens their connections, which are one per user, shared ones,
// or several per user from a pool. Asynchronous clients without shared connections or a pool log in
// later.
func (g *group) connectUsers(ctx context.Context) error {
	p := g.plan
	g.virtual = make([]virtualUser, p.Users)
	g.users = make([]*user, p.Terminals())
	for i := range g.users {
		g.users[i] = &user{
			number: i, virtual: i / p.Pacing.Clients.Each(), shifts: p.Pacing.ShiftsOf(p.Steps, i/p.Pacing.Clients.Each()),
			eventSender: eventSender{send: g.sender(i)},
		}
		g.virtual[i/p.Pacing.Clients.Each()].left.Add(1)
	}
	if g.connectsBefore() {
		return g.connect(ctx)
	}
	return nil
}

// connectsBefore reports whether the users connect before the run.
func (l *connector) connectsBefore() bool {
	return l.plan.Pacing.Clients.PerUser == 0 || l.plan.Pacing.Connections.Shared > 0 || l.plan.Pool != nil
}

// equipUsers gives the users their stripes, routers and terminals.
func (g *group) equipUsers() {
	g.makeStripes()
	if g.connectsBefore() {
		g.assignRouters()
	}
	for _, u := range g.users {
		if g.plan.Pacing.Kept.Ledger {
			u.commits = &commits{}
		}
		u.assign(g, g.stages.name(0))
		if !g.plan.Pacing.Finite {
			u.tell(job.Event{Step: &job.Step{Name: job.StepTransactions, Stage: job.Begins, Count: int64(g.plan.Pacing.MaxIterations)}})
		}
	}
}

// assign gives the user a terminal, in a run with stages for the given stage.
func (u *user) assign(g *group, stage string) {
	p := g.plan
	u.Terminal = p.Workload.Users.NewTerminal(workload.Slot{
		Number: u.number, Users: p.Terminals(), Seed: p.Spec.Seed,
		Options: p.Settings, Survey: g.survey, Stage: stage, SQL: p.SQL,
		Rand: p.Rand(u.number),
		Tell: u.tell,
	})
}

// sender returns a function that sends events of a terminal as its virtual user. If a virtual user
// has several terminals, only the first sends.
func (g *group) sender(terminal int) func(job.Event) {
	if g.plan.Pacing.Clients.Number(terminal) > 1 {
		return func(job.Event) {}
	}
	return g.feed.As(g.plan.Position(terminal))
}

// work executes transactions until the run stops or the user has no more: it picks a transaction,
// waits for its keying time, executes and records it, and waits for its thinking time. It returns
// an error if the user cannot continue.
//
// It is the hot path, together with transact and the functions that transact calls.
func (u *user) work(g *group) error {
	if g.arrivals != nil {
		return u.workAtRate(g)
	}
	ctx := g.calls
	intended := time.Now()
	for n := 0; n < g.plan.Pacing.MaxIterations && !g.stopping.Load(); n++ {
		u.router.flushIfRequested(g, u)
		next, more := u.Pick()
		if !more {
			u.begun = true
			return nil
		}
		if g.plan.Pacing.Clients.Verbose {
			g.reportPausesOf(u, next)
		}
		intended = intended.Add(next.Keying)
		if !intended.Before(u.until) {
			from, comes := u.awaitShift(g, intended)
			if !comes {
				return nil
			}
			intended = from.Add(next.Keying)
		}
		u.scheduled = intended
		if next.Keying > 0 && !u.task.PauseUntil(intended) {
			return nil
		}
		ended, err := u.transact(ctx, g, next, intended)
		if err != nil || ended.IsZero() {
			return err
		}
		intended = ended
		if next.Thinking > 0 {
			intended = ended.Add(next.Thinking)
			if !u.task.PauseUntil(intended) {
				return nil
			}
		}
	}
	return nil
}

// awaitShift waits for the user's next shift that ends after now. It returns the time at which the
// user begins. It returns false if no shift is left or the run ends first.
func (u *user) awaitShift(g *group, now time.Time) (from time.Time, comes bool) {
	for len(u.shifts) > 0 {
		shift := u.shifts[0]
		u.shifts = u.shifts[1:]
		u.until = g.began.Add(min(shift.To, plan.FarOff))
		if !now.Before(u.until) {
			continue
		}
		from = g.began.Add(shift.From)
		if now.After(from) {
			from = now
		}
		u.scheduled = from
		if !from.After(now) {
			return from, u.task.PauseUntil(from)
		}
		back := u.rest(g)
		comes = u.task.PauseUntil(from)
		back()
		return from, comes
	}
	return now, false
}

// rest flushes the user's statistics before a pause. It exempts the user from flush requests until
// back is called, because a user that pauses cannot flush.
func (u *user) rest(g *group) (back func()) {
	if g.plan.Server.Flush == nil {
		return func() {}
	}
	own := u.router.own()
	for _, c := range own {
		c.flush(g.calls, g, math.MaxInt32)
	}
	return func() {
		for _, c := range own {
			c.flushed.Store(g.flush.Load())
		}
	}
}

// workAtRate executes transactions of a schedule that all users share. The user claims the next
// free transaction and waits for its scheduled start. If that time has passed, the transaction
// starts at once, with a start lag.
//
// It is part of the hot path.
func (u *user) workAtRate(g *group) error {
	for n := 0; n < g.plan.Pacing.MaxIterations && !g.stopping.Load(); n++ {
		_, due, source := g.arrivals.Claim()
		if due == load.Never && g.plan.Pacing.Test {
			return nil // a test has no duration
		}
		intended := g.began.Add(min(due, plan.FarOff))
		u.scheduled = intended
		if !u.task.PauseUntil(intended) {
			return nil
		}
		u.router.flushIfRequested(g, u)
		next, more := u.pickFor(g, source)
		if !more {
			u.begun = true
			return nil
		}
		if late := time.Since(intended); g.plan.Pacing.Rate.SkipLate > 0 && late > g.plan.Pacing.Rate.SkipLate {
			u.skip(g, next, late)
			continue
		}
		ended, err := u.transact(g.calls, g, next, intended)
		if err != nil || ended.IsZero() {
			return err
		}
	}
	return nil
}

// skip records a transaction that is too late to start.
func (u *user) skip(g *group, t workload.Transaction, late time.Duration) {
	u.begun = true
	u.stripe.Record(meter.Record{
		Kind: t.Kind, User: int32(u.virtual), Outcome: meter.Failed, Class: meter.Skipped, Late: late, Response: late, Ended: time.Since(g.began),
	})
}

// transact takes a connection and executes one transaction over it. If the transaction fails
// temporarily, transact retries it with the same inputs. It records the outcome. It returns the
// time of the end, or the zero time if the run ended before a connection was free. It returns an
// error if the user cannot continue.
func (u *user) transact(ctx context.Context, g *group, t workload.Transaction, intended time.Time) (time.Time, error) {
	record := meter.Record{Kind: t.Kind, User: int32(u.virtual)}
	u.kind.Store(int32(t.Kind))
	u.begun = true
	u.intended.Store(mark(intended.Sub(g.began)))
	c, queued, err := u.router.take(g, u, t.Kind)
	if c == nil {
		u.intended.Store(0)
		return time.Time{}, err
	}
	record.Connection = c.place
	defer u.router.give(g, u, c)
	c.before = c.sockets.Traffic()
	if g.spans != nil {
		defer g.spans.begin(u, c, t)()
	}
	for {
		start := time.Now()
		if record.Retries == 0 {
			record.Late, record.Queued = start.Sub(intended), queued
		}
		try := c.tries.begin(t.Kind, start.Sub(g.began))
		err := c.Do(ctx, t)
		end := time.Now()
		if c.pacer != nil {
			waited := c.pacer.Waited()
			start, intended = start.Add(waited), intended.Add(waited)
		}
		try.end.Store(int64(end.Sub(g.began)))
		if err == nil || err == workload.ErrRolledBack {
			c.done.ended.Add(1)
		} else {
			c.done.failed.Add(1)
		}
		record.Service, record.Response, record.Ended = end.Sub(start), end.Sub(intended), end.Sub(g.began)
		switch err {
		case nil:
			u.recordCommit(c, t, certain)
			u.record(c, record)
			return end, nil
		case workload.ErrRolledBack:
			record.Outcome = meter.RolledBack
			u.record(c, record)
			return end, nil
		}
		if g.broken.Load() || err == workload.ErrStopped {
			u.recordCommit(c, t, inDoubt)
			return end, nil // the end of the run interrupted it, so it is neither done nor failed
		}
		again, err := u.afterFailure(ctx, g, c, &record, err)
		if record.Class == meter.Connection {
			u.recordCommit(c, t, inDoubt)
			err = g.replaceLost(u, c, err)
		}
		if err != nil || !again || g.broken.Load() {
			return time.Now(), err
		}
	}
}

// replaceLost replaces a user's lost connection. It returns an error if the user cannot continue.
func (g *group) replaceLost(u *user, c *connection, lost error) error {
	pooled, is := u.router.(*poolRouter)
	switch {
	case is && !g.plan.Pacing.Failures.EndAtFirst:
		return pooled.lose(g, u, c, lost)
	case g.plan.Pacing.Reconnect.Wanted:
		return g.lost.replace(u, c, lost)
	}
	return lost
}

// record records how the transaction over c ended.
func (u *user) record(c *connection, r meter.Record) {
	if u.span != nil {
		u.span.ended(r)
	}
	t := c.sockets.Traffic().Since(c.before)
	r.Sent, r.Received, r.RoundTrips = uint32(t.Sent), uint32(t.Received), uint32(t.RoundTrips)
	u.stripe.Record(r)
	u.intended.Store(0) // after the record, so that Cut never misses the transaction
}

// afterFailure rolls back and reports whether to retry. It returns an error if the user cannot
// continue.
func (u *user) afterFailure(ctx context.Context, g *group, c *connection, record *meter.Record, failure error) (again bool, err error) {
	record.Class = g.classify(failure)
	if record.Class != meter.Connection {
		if rollback := c.session.Rollback(ctx); rollback != nil {
			record.Class = meter.Connection
			failure = errors.Join(failure, fmt.Errorf("roll back: %w", rollback))
		}
	}
	if u.span != nil {
		u.span.failure = failure
	}
	again = (record.Class.Retryable() || workload.IsRepeat(failure)) && int(record.Retries) < g.plan.Pacing.Failures.Retries && !g.plan.Pacing.Failures.EndAtFirst
	g.noteFailure(*record, failure, again)
	if again {
		record.Retries++
		u.task.PauseUntil(time.Now().Add(plan.Backoff(int(record.Retries))))
		return true, nil
	}
	record.Outcome = meter.Failed
	u.record(c, *record)
	if record.Class == meter.Connection || g.plan.Pacing.Failures.EndAtFirst {
		return false, fmt.Errorf("%s: %w", g.plan.Workload.Kinds[record.Kind].Name, failure)
	}
	// A transaction that failed once is likely to fail again. A user whose transactions all fail
	// must not load the server and the log at full speed.
	u.task.PauseUntil(time.Now().Add(10 * time.Millisecond))
	return false, nil
}
