package generator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/workload"
)

// connection is a session that is ready to do transactions.
type connection struct {
	workload.Executor
	number  int
	flushed atomic.Int32 // the last of course.flush that was done over it
	done    done

	// Of a connection in a pool: its place there, whether its session is gone, and whether
	// another one waits for the user to take it on.
	place       int32
	lost, again atomic.Bool

	// The user that has taken the connection reads these without the lock, and holds it to replace them
	// when the connection was lost. All others need it.
	mu      sync.Mutex
	session database.Session  // nil before it is connected, and while it is lost
	sockets *loop.Connections // that the session talks over
	before  loop.Traffic      // what had gone over them when the transaction in flight began
	name    string            // what the server calls the session: "process 4711"; "" where it has no name for it
	server  int               // the one of Plan.Targets that it is at
}

// links are the users of a group and their connections.
type links struct {
	*course
	plan        plan.Plan
	users       []*user
	connections *connections // all of the users' own, or all that they share
	lost        losses
	poolLosses  poolLosses
}

// connect opens all connections.
func (l *links) connect(ctx context.Context) error {
	logins, ctx := newLogins(ctx)
	for i := range l.plan.ConnectionCount() {
		logins.Go(func() error {
			err := job.Guarded(func() error {
				c, err := l.openNumber(ctx, i)
				l.connections.set(i, c)
				return err
			})
			return l.failedToConnect(i, err)
		})
	}
	if err := logins.Wait(); err != nil {
		if failed, ok := errors.AsType[*feed.Error](err); ok {
			l.feed.Fail(failed.Position, failed.Err)
		}
		return err
	}
	return nil
}

// failedToConnect says for which user connection number i was.
func (l *links) failedToConnect(i int, err error) error {
	switch {
	case err == nil:
		return nil
	case l.plan.Pacing.Connections.Shared > 0:
		return fmt.Errorf("connection %d of the %d that virtual users share: %w", i+1, l.plan.Pacing.Connections.Shared, err)
	case l.plan.Pool != nil:
		n := len(l.plan.Pool.Connections)
		return &feed.Error{Position: l.plan.Position(i / n), Err: l.plan.Pool.About(i%n, err)}
	}
	return &feed.Error{Position: l.plan.Position(i), Err: err}
}

// openNumber opens connection number i.
func (l *links) openNumber(ctx context.Context, i int) (*connection, error) {
	var c *connection
	var err error
	if l.plan.Pool != nil {
		c, err = l.openPooled(ctx, i)
	} else {
		c, err = l.open(ctx, l.plan.Job, i, 0, l.introducer(i))
	}
	if err == nil {
		l.narrate(c)
		l.limit(c)
	}
	return c, err
}

// introducer returns what tells of connection number i: the user whose own it is. What a
// connection that users share has to tell, the monitor's has told.
func (l *links) introducer(i int) func(job.Event) {
	pool := l.plan.Pool
	if l.plan.Pacing.Connections.Shared > 0 || pool != nil && i%len(pool.Connections) > 0 { // what a user's first has told is enough
		return func(job.Event) {}
	}
	return l.owner(i).tell
}

// narrate has a user say what is done over a connection, where the run is a test.
func (l *links) narrate(c *connection) {
	if l.plan.Pacing.Test {
		c.Executor = &narrator{Executor: c.Executor, kinds: l.plan.Workload.Kinds, tell: l.owner(c.number).tell}
	}
}

// owner is the user whose own connection number i is.
func (l *links) owner(i int) *user {
	if l.plan.Pool != nil {
		i /= len(l.plan.Pool.Connections)
	}
	return l.users[i]
}

// open connects, to a server or the first after it that takes the connection, and makes the
// session ready. What it returns with an error, if it is not nil, has a session to close.
func (l *links) open(ctx context.Context, j plan.Job, number, server int, tell func(job.Event)) (*connection, error) {
	gathering, sockets := loop.Gather(ctx)
	session, server, err := target.ConnectFrom(gathering, j, server, database.Owner)
	if err != nil {
		return nil, err
	}
	c := &connection{number: number, session: session, sockets: sockets, server: server}
	if l.plan.Pacing.Kept.TimeProfile {
		tell(job.Event{Step: &job.Step{Name: job.StepTimeProfile, Stage: job.Begins}})
	}
	if err := target.Introduce(ctx, j, session, tell); err != nil {
		return c, err
	}
	if j.Server.Name != nil {
		if c.name, err = j.Server.Name(ctx, session); err != nil {
			return c, fmt.Errorf("ask what the server calls the session: %w", err)
		}
	}
	c.Executor, err = j.Workload.Users.NewExecutor(ctx, workload.Connection{
		Number: number, Seed: j.Spec.Seed, Test: l.plan.Pacing.Test,
		Options: j.Settings, Session: session, SQL: j.SQL,
		Tell: tell, Stopped: l.stopped,
	})
	if err == nil && j.Server.Flush != nil {
		// A user that pauses before its first transaction would report its log-in within the measured
		// time. An error means that the session is gone, as the first transaction will say.
		_ = j.Server.Flush(ctx, session)
	}
	return c, err
}

// called is what the server calls the session; "" if there is no session, or the server has no name for it.
func (c *connection) called() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// interrupt ends the call that waits on the connection.
func (c *connection) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		c.session.Interrupt()
	}
}

// cancel tells the database to end the statement that runs on the connection.
func (c *connection) cancel(ctx context.Context) error {
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.Cancel(ctx)
}

// close closes the session, if there is one. One that cannot be closed cleanly is closed
// all the same.
func (c *connection) close() {
	c.mu.Lock()
	s := c.session
	c.session = nil
	c.mu.Unlock()
	if s != nil {
		_ = job.Guarded(s.Close)
	}
}

// connections are those of a run. They come and go while others look at them.
type connections struct {
	mu   sync.Mutex
	list []*connection
}

func newConnections(n int) *connections { return &connections{list: make([]*connection, n)} }

func (l *connections) set(i int, c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list[i] = c
}

// all returns those that there are now.
func (l *connections) all() []*connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*connection, 0, len(l.list))
	for _, c := range l.list {
		if c != nil {
			list = append(list, c)
		}
	}
	return list
}

// mark marks how far each has come.
func (l *connections) mark() {
	for _, c := range l.all() {
		c.done.mark()
	}
}

// close closes all connections, side by side.
func (l *connections) close() {
	logins, _ := newLogins(context.Background())
	for _, c := range l.all() {
		logins.Go(func() error { c.close(); return nil })
	}
	_ = logins.Wait() // there is no error
}

// loginsAtOnce bounds how many sessions log in, or out, at the same moment, so that ten
// thousand of them do not overrun the server's listen queue.
const loginsAtOnce = 64

// newLogins returns a group of as many as log in, or out, at a time. The first error cancels its context.
func newLogins(ctx context.Context) (*errgroup.Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loginsAtOnce)
	return group, ctx
}
