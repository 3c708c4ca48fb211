package generator

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// connection is a session that is ready for transactions.
type connection struct {
	workload.Executor
	pacer   workload.Pacer // the executor, if it is one
	number  int
	flushed atomic.Int32 // number of the last flush request that it served
	done    done
	tries   tries

	// Of a connection in a pool: its position in the pool, whether its session is lost, and whether
	// a reopened session waits for the user.
	place       int32
	lost, again atomic.Bool

	// The user that has taken the connection reads these fields without the lock, and takes the
	// lock to replace them after a loss. All others need the lock.
	mu      sync.Mutex
	session database.Session  // nil before it is connected, and while it is lost
	sockets *loop.Connections // sockets of the session
	before  loop.Traffic      // traffic before the transaction in flight
	name    string            // the server's name of the session, such as "process 4711"; "" if it has none
	server  int               // index in Plan.Targets
}

// connector opens and holds the connections of a group.
type connector struct {
	*runState
	plan        plan.Plan
	users       []*user
	connections *connections // the users' own or shared connections
	lost        losses
	poolLosses  poolLosses
}

// connect opens all connections.
func (l *connector) connect(ctx context.Context) error {
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

// failedToConnect adds the user or the connection to the error of connection number i.
func (l *connector) failedToConnect(i int, err error) error {
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
func (l *connector) openNumber(ctx context.Context, i int) (*connection, error) {
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

// introducer returns the function that reports the properties of connection number i as its user.
// For a shared connection and for a user's later connections the function does nothing, because the
// monitor or the user's first connection reports the same properties.
func (l *connector) introducer(i int) func(job.Event) {
	pool := l.plan.Pool
	if l.plan.Pacing.Connections.Shared > 0 || pool != nil && i%len(pool.Connections) > 0 { // not the user's first connection
		return func(job.Event) {}
	}
	return l.owner(i).tell
}

// narrate makes a connection report each transaction as its user, if the run is a test.
func (l *connector) narrate(c *connection) {
	if l.plan.Pacing.Test {
		c.Executor = &narrator{Executor: c.Executor, kinds: l.plan.Workload.Kinds, tell: l.owner(c.number).tell}
	}
}

// owner returns the user that owns connection number i.
func (l *connector) owner(i int) *user {
	if l.plan.Pool != nil {
		i /= len(l.plan.Pool.Connections)
	}
	return l.users[i]
}

// open connects to the numbered server, or to the next one that accepts the connection, and
// prepares the session. If it returns an error and a connection, the caller must close the
// connection.
func (l *connector) open(ctx context.Context, j plan.Job, number, server int, tell func(job.Event)) (*connection, error) {
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
			return c, fmt.Errorf("ask for the server's name of the session: %w", err)
		}
	}
	c.Executor, err = j.Workload.Users.NewExecutor(ctx, workload.Connection{
		Number: number, Seed: j.Spec.Seed, Test: l.plan.Pacing.Test,
		Options: j.Settings, Session: session, SQL: j.SQL,
		Users: l.plan.Terminals(), Database: l.plan.Database, Classify: l.plan.Database.Sessions.Classify, Tell: tell, Stopped: l.stopped, Out: l.feed.Out,
		Open: func(ctx context.Context) (database.Session, error) {
			another, _, err := target.ConnectFrom(ctx, j, server, database.Owner)
			return another, err
		},
	})
	if err == nil && l.feed.Joined != nil {
		l.feed.Joined(c.Executor)
	}
	c.pacer, _ = c.Executor.(workload.Pacer)
	if err == nil && j.Server.Flush != nil {
		// Otherwise a user that pauses before its first transaction would report its log-in within
		// the measured time. After an error the session is lost, and the first transaction reports
		// that.
		_ = j.Server.Flush(ctx, session)
	}
	return c, err
}

// called returns the server's name of the session, or "" if there is no session or no name.
func (c *connection) called() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// interrupt ends the call that waits for the server.
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

// close closes the session, if there is one, and ignores errors.
func (c *connection) close() {
	c.mu.Lock()
	s := c.session
	c.session = nil
	c.mu.Unlock()
	if s == nil {
		return
	}
	if ending, is := c.Executor.(io.Closer); is {
		_ = job.Guarded(ending.Close)
	}
	_ = job.Guarded(s.Close)
}

// connections holds the connections of a run. It is safe for concurrent use.
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

// all returns the current connections.
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

// mark records the number of ended transactions of each connection.
func (l *connections) mark() {
	for _, c := range l.all() {
		c.done.mark()
	}
}

// close closes all connections concurrently.
func (l *connections) close() {
	logins, _ := newLogins(context.Background())
	for _, c := range l.all() {
		logins.Go(func() error { c.close(); return nil })
	}
	_ = logins.Wait() // the functions return no error
}

// loginsAtOnce limits the concurrent logins and logouts, so that ten thousand of them do not
// overflow the server's listen queue.
const loginsAtOnce = 64

// newLogins returns a group that limits concurrent logins and logouts to loginsAtOnce. The first
// error cancels its context.
func newLogins(ctx context.Context) (*errgroup.Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loginsAtOnce)
	return group, ctx
}
