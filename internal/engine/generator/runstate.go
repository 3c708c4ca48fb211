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

// runState is the state that the users of all groups share.
type runState struct {
	feed    *feed.Feed
	began   time.Time    // when users could begin; set before started
	started atomic.Bool  // for goroutines that may ask before users begin
	cores   host.CoreUse // number of event loops, and whether the database uses this machine's cores

	// calls is the context of all database calls of virtual users. It is never cancelled: see
	// database.Session.Interrupt.
	calls context.Context

	logins
	flushes
	ending
}

// since returns a time as the time since users began.
func (c *runState) since(at time.Time) time.Duration {
	if c.began.IsZero() {
		return 0
	}
	return at.Sub(c.began)
}

// logins limits the connections that are being opened while users work: those of asynchronous
// clients, and of users that have lost their connection.
type logins struct {
	connecting context.Context // ends when the run stops
	stopLogins func()
	slots      chan struct{} // has one value for each connection that is being opened

	clients     int           // asynchronous clients that will log in
	loggedIn    atomic.Int32  // clients that have logged in
	allLoggedIn chan struct{} // closed when the last client has logged in
}

// enter waits until another connection may be opened. The caller calls leave when it has opened the
// connection. If the run stops first, enter returns errEnding.
func (l *logins) enter() (leave func(), err error) {
	select {
	case l.slots <- struct{}{}:
		return func() { <-l.slots }, nil
	case <-l.connecting.Done():
		return nil, errEnding
	}
}

// flushes counts the requests to flush statistics to the server, and the flushes.
type flushes struct {
	flush        atomic.Int32 // number of requests
	begunFlushes atomic.Int64 // flushes that users have begun
	doneFlushes  atomic.Int64 // flushes that users have completed
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

// die ends the run because a user cannot continue. It keeps the first error, because those of other
// users are mostly consequences.
func (c *runState) die(err error) {
	c.mu.Lock()
	if c.died == nil {
		c.died = err
		close(c.dead)
	}
	c.mu.Unlock()
	c.stop()
}

// stop makes users begin no more transactions.
func (c *runState) stop() {
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
