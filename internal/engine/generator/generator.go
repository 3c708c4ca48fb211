// Package generator runs the users of a run in this process: their connections, event loops, pauses
// and retries. Users record their transactions in stripes, and the generator sums them up each
// second. It does not know the verdict of a run.
package generator

import (
	"context"
	"errors"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/meter"
)

// generator runs the groups of a run in this process.
type generator struct {
	*runState
	bind       plan.Binder
	groups     []*group
	aggregator aggregator
	reports    chan order.Report
	release    func() // undoes host.UseCores; nil before that call
}

var _ order.Generator = (*generator)(nil)

// New returns a generator that sends its users' events to f. Its database calls use the values of
// ctx, but ctx does not cancel them.
func New(ctx context.Context, bind plan.Binder, f *feed.Feed) order.Generator {
	g := &generator{
		bind: bind, reports: make(chan order.Report, reportsAhead),
		runState: &runState{
			feed: f, calls: context.WithoutCancel(ctx),
			logins: logins{slots: make(chan struct{}, loginsAtOnce), allLoggedIn: make(chan struct{})},
			ending: ending{stopped: make(chan struct{}), finished: make(chan struct{}), dead: make(chan struct{})},
		},
	}
	g.aggregator.marked = make(chan struct{}, 1)
	g.connecting, g.stopLogins = context.WithCancel(g.calls)
	return g
}

// reportsAhead is the maximum number of reports that wait for a slow coordinator. While the queue
// is full, intervals grow longer than a second.
const reportsAhead = 64

// group holds the users of one workload with their connections and sums.
type group struct {
	connector
	number  int           // position in the call of Prepare
	before  int           // terminals of the groups before it
	virtual []virtualUser // the virtual users
	survey  any           // result of the workload's survey of the schema
	stages  *stages       // of a run that ends when its work is done
	spans   *spans        // nil in a timed run, which has too many transactions to keep

	arrivals *load.Arrivals // schedule of transactions; nil without a rate
	failures failureLog
	sums
}

// newGroup returns a group without users.
func newGroup(c *runState, number int, b plan.Group) *group {
	p := b.Plan
	g := &group{
		connector: connector{runState: c, plan: p, connections: newConnections(p.ConnectionCount())},
		number:    number, survey: b.Survey, sums: newSums(p),
	}
	g.lost.connector = &g.connector
	if records := c.feed.Records; records != nil {
		g.each = meter.Each(func(r *meter.Record) { records(c.began, r) })
	}
	if p.Pacing.Finite {
		g.spans, g.stages = &spans{group: g}, newStages(b.Stages, p.Users)
	}
	if p.Pacing.Rate.Arrivals != nil {
		g.arrivals = p.Pacing.Rate.Arrivals(p.Spec.Seed)
	}
	if p.Pool != nil {
		g.poolLosses.list = make([]order.ConnectionLoss, len(p.Pool.Connections))
	}
	return g
}

// Prepare implements order.Generator.
func (g *generator) Prepare(ctx context.Context, groups []job.Spec) (order.Roster, error) {
	var roster order.Roster
	for i, spec := range groups {
		b, err := g.bind(spec)
		if err != nil {
			return roster, err
		}
		next := newGroup(g.runState, i, b)
		next.before = roster.Users
		g.groups = append(g.groups, next)
		g.cores.All = g.cores.All || b.Plan.Database.Embedded()
		roster.Users += b.Plan.Terminals()
		if b.Plan.Pacing.Clients.PerUser > 0 {
			g.clients += b.Plan.Terminals()
		}
	}
	for _, group := range g.groups {
		if err := group.connectUsers(ctx); err != nil {
			return roster, err
		}
	}
	if err := g.chooseLoops(ctx); err != nil {
		return roster, err
	}
	for _, group := range g.groups {
		group.equipUsers()
	}
	g.aggregator.runState, g.aggregator.groups = g.runState, g.groups
	g.release = host.UseCores(g.cores)
	return roster, nil
}

// Start implements order.Generator.
func (g *generator) Start(context.Context) error {
	for _, group := range g.groups {
		if group.stages != nil {
			group.stages.tell(group)
		}
	}
	scheduler, err := newScheduler(g.cores)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.scheduler = scheduler
	g.mu.Unlock()
	if g.stopping.Load() { // stop may have missed the scheduler
		scheduler.Stop()
	}
	g.began = time.Now()
	g.started.Store(true)
	go g.work()
	go g.report()
	return nil
}

// work starts the users, and waits for the last to end.
func (g *generator) work() {
	for _, group := range g.groups {
		for _, u := range group.users {
			g.scheduler.Go(func(task loop.Task) { group.runUser(u, task) })
		}
	}
	g.scheduler.Run()
	close(g.finished)
}

// runUser runs a user from its start to its end.
func (g *group) runUser(u *user, task loop.Task) {
	u.task = task
	began, err := g.awaitStart(u, task)
	if began {
		g.reportBegin(u)
		err = job.Guarded(func() error { return u.workThrough(g) })
	}
	if u.router != nil {
		err = errors.Join(err, u.router.leave(g, u, job.ExitOf(err) == job.ExitInternal))
	}
	if errors.Is(err, errEnding) {
		err = nil // the run ended while the user connected
	}
	g.reportEnd(u, err)
}

// awaitStart waits until the user may begin, and returns false if the run ends first.
func (g *group) awaitStart(u *user, task loop.Task) (bool, error) {
	if g.plan.Pacing.Clients.PerUser > 0 {
		if in, err := g.logIn(u, task); !in {
			return false, err
		}
	}
	if err := u.router.enter(g, u); err != nil {
		return false, err
	}
	_, comes := u.awaitShift(g, g.began)
	return comes, nil
}

// Stop implements order.Generator.
func (g *generator) Stop() { g.stop() }

// Abort implements order.Generator.
func (g *generator) Abort() {
	g.stop()
	g.broken.Store(true)
	for _, group := range g.groups {
		for _, c := range group.connections.all() {
			c.interrupt()
		}
	}
}

// works reports whether users have begun and some have not ended.
func (g *generator) works() bool {
	select {
	case <-g.finished:
		return false
	default:
		return !g.began.IsZero()
	}
}

// Close implements order.Generator. It aborts users that still work. A user that does not end keeps its
// connection, because only one goroutine may use a session.
func (g *generator) Close() {
	if g.works() && !g.broken.Load() {
		g.Abort()
		patience := time.NewTimer(order.AnswersWithin)
		defer patience.Stop()
		select {
		case <-g.finished:
		case <-patience.C:
		}
	}
	if !g.works() {
		for _, group := range g.groups {
			group.lost.reviving.Wait()
			group.connections.close()
		}
	}
	if load := g.aggregator.load; load != nil && !g.aggregator.over {
		load.End()
	}
	if g.release != nil {
		g.release()
	}
	if g.began.IsZero() {
		close(g.reports)
	}
}

// failureOf converts an error to plain data.
func failureOf(err error) *order.Failure {
	f := &order.Failure{Text: err.Error(), Exit: job.ExitOf(err)}
	if of, is := errors.AsType[*feed.Error](err); is {
		f.User, f.Text = of.Position, of.Err.Error()
	}
	f.Fault, _ = errors.AsType[*job.Fault](err)
	return f
}
