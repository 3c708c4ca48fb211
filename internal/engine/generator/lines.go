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

// lines supplies a user's connections: its own ones, or connections that it shares with others.
type lines interface {
	// enter is called by a user that begins to work, and leave by one that has ended. In between,
	// connections wait on the user's event loop. At the end, leave makes the sessions report their
	// work to the server, unless the user has failed.
	enter(g *group, u *user) error
	leave(g *group, u *user, harmed bool) error

	// take returns a connection for a transaction of a kind, and give returns it. If no connection
	// is free, take waits, and returns how long. If the run ends meanwhile, take returns nil. If
	// the user cannot continue, take returns an error. Both are part of the hot path.
	take(g *group, u *user, kind meter.Kind) (c *connection, queued time.Duration, err error)
	give(g *group, u *user, c *connection)

	// answer flushes unused connections if a flush was requested.
	answer(g *group, u *user)

	// own lists the connections that only the user can flush.
	own() []*connection
}

// layLines gives each user its lines: its own connection, or the shared connections of its loop.
func (g *group) layLines() {
	if g.plan.Pool != nil {
		g.layPooledLines()
		return
	}
	connections := g.connections.all()
	if g.plan.Pacing.Connections.Shared == 0 {
		for i, u := range g.users {
			u.lines = &ownLine{connections[i]}
		}
		return
	}
	shared := make([]*sharedLines, max(1, g.cores.Loops))
	for i := range shared {
		var own []*connection
		for c := i; c < len(connections); c += len(shared) {
			own = append(own, connections[c])
		}
		shared[i] = newSharedLines(own)
	}
	for i, u := range g.users { // in the order in which loop.Scheduler assigns users to loops
		l := shared[(g.before+i)%len(shared)]
		l.users++
		u.lines = l
	}
}

// ownLine is the single connection of a user.
type ownLine struct{ connection *connection }

func (l *ownLine) enter(_ *group, u *user) error {
	u.on.Store(l.connection)
	return u.task.Adopt(l.connection.sockets)
}

func (l *ownLine) leave(g *group, u *user, harmed bool) error {
	return l.connection.leave(g, u.task, harmed)
}

func (l *ownLine) take(*group, *user, meter.Kind) (*connection, time.Duration, error) {
	return l.connection, 0, nil
}

func (l *ownLine) give(*group, *user, *connection) {}

func (l *ownLine) answer(g *group, _ *user) { l.connection.answer(g.calls, g) }

func (l *ownLine) own() []*connection { return []*connection{l.connection} }

// leave permanently ends a user's use of a connection.
func (c *connection) leave(g *group, task loop.Task, harmed bool) error {
	if g.plan.Server.Flush != nil && !harmed {
		c.tellServer(g.calls, g, math.MaxInt32) // later flushes need not wait for it
	}
	g.lost.leave()
	return task.Release(c.sockets)
}

// sharedLines are connections that the users of one event loop share, or that all users share if
// they are goroutines. The last returned connection is taken first, as in most pools. The user that
// has waited longest gets the next one.
type sharedLines struct {
	// On an event loop the lock is always free.
	mu          sync.Mutex
	connections []*connection
	free        []*connection
	first, last *user // in the queue; nil if it is empty
	users       int   // users that have not ended
	adopted     bool
	told        int32 // number of the last flush request that all free connections served
}

func newSharedLines(connections []*connection) *sharedLines {
	return &sharedLines{connections: connections, free: slices.Clone(connections)}
}

// enter adopts the connections for all users of a loop when its first user begins.
func (l *sharedLines) enter(_ *group, u *user) error {
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
func (l *sharedLines) leave(g *group, u *user, harmed bool) error {
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

func (l *sharedLines) take(g *group, u *user, _ meter.Kind) (c *connection, queued time.Duration, _ error) {
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

// pop returns a free connection. If there is none, it adds the user to the queue and returns nil.
func (l *sharedLines) pop(u *user) *connection {
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

// handed returns the connection that a queued user was given, or nil. If the user no longer waits,
// it will be given none.
func (l *sharedLines) handed(u *user, waits bool) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := u.handed
	u.handed = nil
	if !waits {
		u.queued = false
	}
	return c
}

func (l *sharedLines) give(g *group, u *user, c *connection) {
	u.on.Store(nil)
	c.answer(g.calls, g)
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
	l.told = min(l.told, c.flushed.Load()) // another flush may have been requested since
}

func (l *sharedLines) answer(g *group, u *user) {
	asked := g.flush.Load()
	for {
		c := l.untold(asked)
		if c == nil {
			return
		}
		l.give(g, u, c) // give flushes it
	}
}

func (l *sharedLines) own() []*connection { return nil }

// untold takes a free connection that has not been flushed for the request, or returns nil.
func (l *sharedLines) untold(asked int32) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told == asked {
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
	l.told = asked
	return nil
}
