package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/meter"
)

// generator has the virtual users of a run, their connections, their pacing and what was acknowledged to
// them. It knows no phases, and neither counts nor judges what the users do: they record it in stripes.
//
// Two moments end it. From stop on, users begin no transaction; when it is broken off, the sessions of
// those who still wait for the database are interrupted, and what they were doing counts for nothing.
type generator struct {
	plan   Plan
	feed   *feed
	users  []*user
	crews  []crew    // the virtual users
	survey any       // what the workload found
	stages *stages   // of a run that ends when its work is done
	spans  *spans    // nil if transactions are too many to keep each
	began  time.Time // when users could begin

	arrivals *load.Arrivals  // when transactions are meant to start; nil leaves that to the users
	stripes  []*meter.Stripe // that users record in

	links
	course
	failureLog
}

// newGenerator returns a generator that has no users yet.
func newGenerator(ctx context.Context, p Plan, f *feed) *generator {
	g := &generator{
		plan: p, feed: f,
		links: links{
			connections: newConnections(p.connections()),
			logins:      make(chan struct{}, loginsAtOnce),
			calls:       context.WithoutCancel(ctx),
		},
		course: course{
			cores:     host.CoreUse{All: p.Database.Embedded},
			everybody: make(chan struct{}), stopped: make(chan struct{}), finished: make(chan struct{}),
		},
		failureLog: failureLog{noted: map[meter.Class]noted{}},
	}
	g.lost = &losses{generator: g}
	g.connecting, g.stopLogins = context.WithCancel(g.calls)
	if p.Pacing.Finite {
		g.spans = &spans{generator: g}
	}
	if p.Pacing.Arrivals != nil {
		g.arrivals = p.Pacing.Arrivals(p.Seed)
	}
	if p.pool != nil {
		g.poolLosses = make([]poolLoss, len(p.pool.connections))
	}
	return g
}

// links are the users' connections, and what it takes to make them.
type links struct {
	connections *connections // all of the users' own, or all that they share
	lost        *losses
	logins      chan struct{}   // holds one for each connection that is being made in the run
	connecting  context.Context // ends when the run stops: of connections that are made in it
	stopLogins  func()
	reviving    sync.WaitGroup // connections of pools that are being made again

	flush   atomic.Int32 // how often users were asked to have the server count what they did; see tellServer
	telling atomic.Int64 // times that users have begun to do so
	told    atomic.Int64 // times that they have done so

	// calls is the context of every call that a virtual user makes. It is never
	// cancelled: see database.Session.Interrupt.
	calls context.Context
}

// course says how far the users have come.
type course struct {
	cores     host.CoreUse   // what the users do with cores
	scheduler loop.Scheduler // runs the users; guarded by failureLog.mu

	loggedIn  atomic.Int32  // asynchronous clients
	everybody chan struct{} // closed when the last of them has logged in

	stopping atomic.Bool   // users look at it between transactions
	stopped  chan struct{} // closed at the same time as stopping is set, for those who wait
	broken   atomic.Bool   // sessions are being interrupted
	finished chan struct{} // closed when the last user has ended
}

// failureLog is what went wrong.
type failureLog struct {
	mu          sync.Mutex
	died        error      // the first user's that could not go on
	poolLosses  []poolLoss // by connection of the pool
	noted       map[meter.Class]noted
	lastFailure error
}

// start lets the users begin.
func (g *generator) start() error {
	scheduler, err := g.newScheduler()
	if err != nil {
		close(g.finished)
		return err
	}
	g.mu.Lock()
	g.scheduler = scheduler
	g.mu.Unlock()
	if g.stopping.Load() { // which did not find it
		scheduler.Stop()
	}
	g.began = time.Now()
	go g.startUsers()
	return nil
}

// startUsers lets the users begin, and waits for the last to end.
func (g *generator) startUsers() {
	for _, u := range g.users {
		g.scheduler.Go(func(task loop.Task) { g.live(u, task) })
	}
	g.scheduler.Run()
	close(g.finished)
}

// live is what a user does from its beginning to its end.
func (g *generator) live(u *user, task loop.Task) {
	u.task = task
	began, err := g.beginning(u, task)
	if began {
		g.begins(u)
		err = job.Guarded(func() error { return u.workThrough(g) })
	}
	if u.lines != nil {
		err = errors.Join(err, u.lines.leave(g, u, job.ExitOf(err) == job.ExitInternal))
	}
	if errors.Is(err, errEnding) {
		err = nil // it was on its way in
	}
	g.ends(u, err)
}

// beginning returns when the user is to begin, or false if the run ended before that.
func (g *generator) beginning(u *user, task loop.Task) (bool, error) {
	if g.plan.Pacing.Clients > 0 {
		if in, err := g.logIn(u, task); !in {
			return false, err
		}
	}
	if err := u.lines.enter(g, u); err != nil {
		return false, err
	}
	_, comes := u.awaitShift(g, g.began)
	return comes, nil
}

// die ends the run because a user cannot go on. The first one's reason counts:
// those of the others are mostly consequences.
func (g *generator) die(err error) {
	g.mu.Lock()
	if g.died == nil {
		g.died = err
	}
	g.mu.Unlock()
	g.stop()
}

func (g *generator) death() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.died
}

func (g *generator) stop() {
	if g.stopping.CompareAndSwap(false, true) {
		close(g.stopped)
		g.stopLogins()
		g.mu.Lock()
		scheduler := g.scheduler
		g.mu.Unlock()
		if scheduler != nil {
			scheduler.Stop()
		}
	}
}
