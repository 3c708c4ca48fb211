package generator

import (
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"sledge/internal/loop"
	"sledge/internal/meter"
)

// router chooses the connection of each transaction of a user, among its own connections or among
// those that it shares with others.
type router interface {
	// A user calls enter before it begins to work, and leave after it has ended. In between, its
	// connections belong to its event loop. leave flushes the sessions' statistics to the server,
	// unless harmed, which means that the user panicked.
	enter(g *group, u *user) error
	leave(g *group, u *user, harmed bool) error

	// take gets a connection for a transaction of a kind, and give puts it back. If no connection
	// is free, take waits, and returns the time of the wait. If the run ends first, take returns
	// nil. If the user cannot continue, take returns an error. Both are part of the hot path.
	take(g *group, u *user, kind meter.Kind) (c *connection, queued time.Duration, err error)
	give(g *group, u *user, c *connection)

	// flushIfRequested flushes unused connections if a flush was requested.
	flushIfRequested(g *group, u *user)

	// own lists the connections that only the user can flush.
	own() []*connection
}

// assignRouters gives each user its router, over its own connections or over the shared connections of
// its loop.
func (g *group) assignRouters() {
	if g.plan.Pool != nil {
		g.assignPoolRouters()
		return
	}
	connections := g.connections.all()
	if g.plan.Pacing.Connections.Shared == 0 {
		for i, u := range g.users {
			u.router = &ownRouter{connections[i]}
		}
		return
	}
	shared := make([]*sharedRouter, max(1, g.cores.Loops))
	for i := range shared {
		var own []*connection
		for c := i; c < len(connections); c += len(shared) {
			own = append(own, connections[c])
		}
		shared[i] = newSharedRouter(own)
	}
	for i, u := range g.users { // in the order in which loop.Scheduler assigns users to loops
		l := shared[(g.before+i)%len(shared)]
		l.users++
		u.router = l
	}
}

// ownRouter is the single connection of a user.
type ownRouter struct{ connection *connection }

func (l *ownRouter) enter(_ *group, u *user) error {
	u.on.Store(l.connection)
	return u.task.Adopt(l.connection.sockets)
}

func (l *ownRouter) leave(g *group, u *user, harmed bool) error {
	return l.connection.leave(g, u.task, harmed)
}

func (l *ownRouter) take(*group, *user, meter.Kind) (*connection, time.Duration, error) {
	return l.connection, 0, nil
}

func (l *ownRouter) give(*group, *user, *connection) {}

func (l *ownRouter) flushIfRequested(g *group, _ *user) { l.connection.flushIfRequested(g.calls, g) }

func (l *ownRouter) own() []*connection { return []*connection{l.connection} }

// leave permanently ends a user's use of a connection.
func (c *connection) leave(g *group, task loop.Task, harmed bool) error {
	if g.plan.Server.Flush != nil && !harmed {
		c.flush(g.calls, g, math.MaxInt32) // so that later flushes do not wait for this connection
	}
	g.lost.leave()
	return task.Release(c.sockets)
}

// sharedRouter routes over connections that the users of one event loop share, or that all users
// share if they are goroutines. It takes the connection that was returned last, as most pools do.
// The user that has waited longest gets the next connection.
type sharedRouter struct {
	// On an event loop the lock is always free.
	mu          sync.Mutex
	connections []*connection
	free        []*connection
	first, last *user // of the queue; nil if it is empty
	users       int   // users that have not ended
	adopted     bool
	served      int32 // number of the last flush request that all free connections served
}

func newSharedRouter(connections []*connection) *sharedRouter {
	return &sharedRouter{connections: connections, free: slices.Clone(connections)}
}

// enter adopts the connections for all users of a loop when its first user begins.
func (l *sharedRouter) enter(_ *group, u *user) error {
	l.mu.Lock()
	adopted := l.adopted
	l.adopted = true
	l.mu.Unlock()
	if adopted {
		return nil
	}
	var err error
	for _, c := range l.connections {
		err = errors.Join(err, u.task.Adopt(c.sockets))
	}
	return err
}

// leave releases the connections when the last user ends.
func (l *sharedRouter) leave(g *group, u *user, harmed bool) error {
	l.mu.Lock()
	l.users--
	rest := l.users
	l.mu.Unlock()
	if rest > 0 {
		return nil
	}
	var err error
	for _, c := range l.connections {
		err = errors.Join(err, c.leave(g, u.task, harmed || g.death() != nil))
	}
	return err
}

func (l *sharedRouter) take(g *group, u *user, _ meter.Kind) (c *connection, queued time.Duration, _ error) {
	if c = l.pop(u); c == nil {
		asked := time.Now()
		for waits := true; c == nil; {
			if !waits {
				return nil, 0, nil
			}
			waits = u.task.Park()
			c = l.handed(u, waits)
		}
		queued = time.Since(asked)
	}
	if g.stopping.Load() {
		l.give(g, u, c)
		return nil, 0, nil
	}
	u.on.Store(c)
	return c, queued, nil
}

// pop returns a free connection. If all are in use, it adds the user to the queue and returns nil.
func (l *sharedRouter) pop(u *user) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		c := l.free[n-1]
		l.free = l.free[:n-1]
		return c
	}
	u.queued, u.behind = true, nil
	if l.last == nil {
		l.first = u
	} else {
		l.last.behind = u
	}
	l.last = u
	return nil
}

// handed returns the connection that a queued user got, or nil. If the user no longer waits, it
// will not get one.
func (l *sharedRouter) handed(u *user, waits bool) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := u.handed
	u.handed = nil
	if !waits {
		u.queued = false
	}
	return c
}

func (l *sharedRouter) give(g *group, u *user, c *connection) {
	u.on.Store(nil)
	c.flushIfRequested(g.calls, g)
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.first != nil {
		next := l.first
		l.first = next.behind
		if l.first == nil {
			l.last = nil
		}
		if next.queued {
			next.queued, next.handed = false, c
			next.task.Unpark()
			return
		}
	}
	l.free = append(l.free, c)
	l.served = min(l.served, c.flushed.Load()) // another flush may have been requested meanwhile
}

func (l *sharedRouter) flushIfRequested(g *group, u *user) {
	asked := g.flush.Load()
	for {
		c := l.untold(asked)
		if c == nil {
			return
		}
		l.give(g, u, c) // give flushes it
	}
}

func (l *sharedRouter) own() []*connection { return nil }

// untold takes a free connection that has not been flushed for the request, or returns nil.
func (l *sharedRouter) untold(asked int32) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.served == asked {
		return nil
	}
	for i, c := range l.free {
		if c.flushed.Load() != asked {
			last := len(l.free) - 1
			l.free[i] = l.free[last]
			l.free = l.free[:last]
			return c
		}
	}
	l.served = asked
	return nil
}
