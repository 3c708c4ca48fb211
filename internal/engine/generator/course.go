package generator

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/host"
	"sledge/internal/loop"
)

// course says how far the users of all groups have come.
type course struct {
	feed  *feed.Feed
	began time.Time    // when users could begin
	cores host.CoreUse // what the users do with cores

	// calls is the context of every call that a virtual user makes. It is never
	// cancelled: see database.Session.Interrupt.
	calls context.Context

	logins
	flushes
	ending
}

// since returns a moment as time since users began.
func (c *course) since(at time.Time) time.Duration {
	if c.began.IsZero() {
		return 0
	}
	return at.Sub(c.began)
}

// logins are the connections that are made while users work: of asynchronous clients, and of users that
// have lost theirs.
type logins struct {
	connecting context.Context // ends when the run stops
	stopLogins func()
	places     chan struct{} // holds one for each connection that is being made

	clients   int           // asynchronous clients that are to log in
	loggedIn  atomic.Int32  // those that have
	everybody chan struct{} // closed when the last of them has logged in
}

// enter waits until one more connection may be made, and returns what says that it has been. It returns
// errEnding if the run stops first.
func (l *logins) enter() (leave func(), err error) {
	select {
	case l.places <- struct{}{}:
		return func() { <-l.places }, nil
	case <-l.connecting.Done():
		return nil, errEnding
	}
}

// flushes are the requests that users report to the server what they have done; see tellServer.
type flushes struct {
	flush   atomic.Int32 // how often users were asked
	telling atomic.Int64 // times that users have begun to do so
	told    atomic.Int64 // times that they have done so
}

// ending is how a run ends.
//
// Two moments end it. From stop on, users begin no transaction; when it is aborted, the sessions of
// users that still wait for the database are interrupted, and their transactions count for nothing.
type ending struct {
	stopping atomic.Bool   // users look at it between transactions
	stopped  chan struct{} // closed at the same time as stopping is set, for those who wait
	broken   atomic.Bool   // sessions are being interrupted
	finished chan struct{} // closed when the last user has ended

	mu        sync.Mutex
	scheduler loop.Scheduler // runs the users
	died      error          // the first user's that could not go on
	dead      chan struct{}  // closed when died is set
}

// death returns why the run cannot go on, if it cannot.
func (e *ending) death() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.died
}

// die ends the run because a user cannot go on. The first one's reason counts:
// those of the others are mostly consequences.
func (c *course) die(err error) {
	c.mu.Lock()
	if c.died == nil {
		c.died = err
		close(c.dead)
	}
	c.mu.Unlock()
	c.stop()
}

// stop has users begin no more.
func (c *course) stop() {
	if c.stopping.CompareAndSwap(false, true) {
		close(c.stopped)
		c.stopLogins()
		c.mu.Lock()
		scheduler := c.scheduler
		c.mu.Unlock()
		if scheduler != nil {
			scheduler.Stop()
		}
	}
}
