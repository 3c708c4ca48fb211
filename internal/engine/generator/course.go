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

// course is the progress of the users of all groups.
type course struct {
	feed  *feed.Feed
	began time.Time    // when users could begin
	cores host.CoreUse // the users' use of cores

	// calls is the context of every call that a virtual user makes. It is never
	// cancelled: see database.Session.Interrupt.
	calls context.Context

	logins
	flushes
	ending
}

// since returns a time as the time since users began.
func (c *course) since(at time.Time) time.Duration {
	if c.began.IsZero() {
		return 0
	}
	return at.Sub(c.began)
}

// logins are the connections that are opened while users work, for asynchronous clients and for
// users that have lost their connection.
type logins struct {
	connecting context.Context // ends when the run stops
	stopLogins func()
	places     chan struct{} // has one value for each connection that is being opened

	clients   int           // asynchronous clients that will log in
	loggedIn  atomic.Int32  // clients that have logged in
	everybody chan struct{} // closed when the last of them has logged in
}

// enter waits until one more connection may be opened. It returns a function that reports that the
// connection is open, or errEnding if the run stops first.
func (l *logins) enter() (leave func(), err error) {
	select {
	case l.places <- struct{}{}:
		return func() { <-l.places }, nil
	case <-l.connecting.Done():
		return nil, errEnding
	}
}

// flushes are the requests that users report their work to the server; see tellServer.
type flushes struct {
	flush   atomic.Int32 // number of requests
	telling atomic.Int64 // flushes that users have begun
	told    atomic.Int64 // flushes that users have completed
}

// ending is the end of a run.
//
// Two events end a run. After stop, users begin no transaction. After an abort, the sessions of
// users that still wait for the database are interrupted, and their transactions are not counted.
type ending struct {
	stopping atomic.Bool   // users check it between transactions
	stopped  chan struct{} // closed when stopping is set, for waiting goroutines
	broken   atomic.Bool   // sessions are being interrupted
	finished chan struct{} // closed when the last user has ended

	mu        sync.Mutex
	scheduler loop.Scheduler // runs the users
	died      error          // error of the first user that could not continue
	dead      chan struct{}  // closed when died is set
}

// death returns why the run cannot continue, or nil.
func (e *ending) death() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.died
}

// die ends the run because a user cannot continue. The first reason is kept: those of other users
// are mostly consequences.
func (c *course) die(err error) {
	c.mu.Lock()
	if c.died == nil {
		c.died = err
		close(c.dead)
	}
	c.mu.Unlock()
	c.stop()
}

// stop makes users begin no more transactions.
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
