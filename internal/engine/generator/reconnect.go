package generator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"sledge/internal/engine/target"
	"sledge/internal/job"
)

// losses records the connections that were lost in a run.
type losses struct {
	connector *connector
	reviving  sync.WaitGroup // goroutines that reopen connections of pools

	mu        sync.Mutex
	at        []time.Duration // time of each loss, since users began
	away      int             // connections that are being replaced
	left      int             // connections that are no longer used
	since     time.Time       // when the first of the connections being replaced was lost
	noneSince time.Time       // when the last connection in use was lost; zero while one is in use
}

// note records the loss of a connection and its cause.
func (l *losses) note(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.at = append(l.at, now.Sub(l.connector.began))
	if l.away == 0 {
		l.since = now
		l.connector.feed.Message(l.connector.plan.Monitor(), "A connection was lost, and is reopened: %v", why)
	}
	l.away++
	l.look(now)
}

// leave records that a connection is no longer used.
func (l *losses) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left++
	l.look(time.Now())
}

// look checks whether any connection is in use. The caller holds mu.
func (l *losses) look(now time.Time) {
	switch none := l.away > 0 && l.away+l.left >= len(l.connector.connections.list); {
	case !none:
		l.noneSince = time.Time{}
	case l.noneSince.IsZero():
		l.noneSince = now
	}
}

// back records that a connection was replaced.
func (l *losses) back() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away--
	l.look(time.Now())
	if l.away == 0 {
		l.connector.feed.Message(l.connector.plan.Monitor(), "All connections are open again, %.1f s after the first was lost%s",
			time.Since(l.since).Seconds(), l.whereConnected())
	}
}

// whereConnected returns the number of connections to each of several servers, for a message.
func (l *losses) whereConnected() (text string) {
	if len(l.connector.plan.Targets) < 2 || l.connector.plan.Pool != nil {
		return ""
	}
	at := make([]int, len(l.connector.plan.Targets))
	for _, c := range l.connector.connections.all() {
		c.mu.Lock()
		at[c.server]++
		c.mu.Unlock()
	}
	for i, n := range at {
		if n > 0 {
			text += fmt.Sprintf("; %d to %s", n, l.connector.plan.Database.Options.Target(l.connector.plan.Targets[i]))
		}
	}
	return text
}

// hopeless reports whether no connection has been in use for longer than the limit.
func (l *losses) hopeless() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.noneSince.IsZero() && time.Since(l.noneSince) > l.connector.plan.Pacing.Reconnect.Limit
}

// moments returns when connections were lost, since users began.
func (l *losses) moments() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.at)
}

// replace opens another session for a lost connection, at the next server if there are several. The
// user must have taken the connection from its router. If replace returns an error, the user cannot
// continue. If the run ends meanwhile, replace returns nil, and the connection has no session.
func (l *losses) replace(u *user, c *connection, lost error) error {
	if l.connector.stopping.Load() {
		return nil
	}
	if err := l.noteReconnect(u, lost); err != nil {
		return err
	}
	if err := u.task.Release(c.sockets); err != nil {
		return err
	}
	u.task.Await(c.close)
	pause := l.pausesBefore(c)
	for try := range 1 << 30 {
		if !u.task.PauseUntil(time.Now().Add(pause(try))) {
			return nil
		}
		var err error
		u.task.Await(func() { err = job.Guarded(func() error { return l.connector.reopen(c) }) })
		switch {
		case err == nil:
			l.back()
			return u.task.Adopt(c.sockets)
		case l.connector.stopping.Load():
			return nil
		case job.ExitOf(err) == job.ExitInternal:
			return err
		case l.hopeless():
			return fmt.Errorf("no server has accepted a connection for %s, which is what option %s allows; the last attempt: %v", // not %w, because the exit code of err means that the run could not begin
				l.connector.plan.Pacing.Reconnect.Limit, l.connector.plan.Spec.Names.Of("reconnect_limit"), err)
		}
	}
	return nil
}

// revive reopens a lost connection of a pool. It retries with pauses until the run stops. The user
// continues without the connection meanwhile.
func (l *losses) revive(c *connection) {
	c.close()
	pause := l.pausesBefore(c)
	for try := 0; target.Pause(l.connector.connecting, pause(try)) == nil; try++ {
		err := job.Guarded(func() error { return l.connector.reopen(c) })
		if err == nil {
			l.back()
			c.again.Store(true)
			return
		}
		if job.ExitOf(err) == job.ExitInternal {
			l.connector.die(err)
			return
		}
	}
}

// reconnectStream separates the random numbers of these pauses from those of terminals.
const reconnectStream = 0x4ec0_0000_0000_0000

// pausesBefore returns a function that returns the pause before each attempt to reopen a lost
// connection.
func (l *losses) pausesBefore(c *connection) func(try int) time.Duration {
	chance := rand.New(rand.NewPCG(l.connector.plan.Spec.Seed, reconnectStream^uint64(c.number)))
	return func(try int) time.Duration {
		return l.connector.plan.Pacing.Reconnect.PauseBefore(try, l.connector.plan.ConnectionCount(), chance)
	}
}

// noteReconnect counts a reconnection of a user. It returns an error if the user has reached its
// limit of reconnections.
func (l *losses) noteReconnect(u *user, lost error) error {
	if most := l.connector.plan.Pacing.Reconnect.Most; most > 0 && u.reconnects == most {
		return fmt.Errorf("a connection was lost after the virtual user had reconnected %d times, which is what option %s allows: %w",
			most, l.connector.plan.Spec.Names.Of("reconnects"), lost)
	}
	u.reconnects++
	l.note(lost)
	return nil
}

// reopen opens a session for a connection that has none.
func (l *connector) reopen(c *connection) error {
	leave, err := l.enter()
	if err != nil {
		return err
	}
	defer leave()
	over := l.plan.Job
	if l.plan.Pool != nil {
		over = l.plan.Over(int(c.place))
	}
	fresh, err := l.open(l.connecting, over, c.number, c.server+1, func(job.Event) {})
	if err != nil {
		if fresh != nil {
			fresh.close()
		}
		return err
	}
	l.narrate(fresh)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Executor, c.session, c.sockets = fresh.Executor, fresh.session, fresh.sockets
	c.name, c.server = fresh.name, fresh.server
	if l.broken.Load() {
		c.session.Interrupt()
	}
	return nil
}
