// Package loop runs tasks that spend most of their time waiting: virtual users, which wait for a
// server to respond and for pauses to end. It does not know databases or drivers.
//
// A task is plain blocking code over a plain driver. On an event loop it is a coroutine: when its
// connection has nothing to read, or when it pauses, it yields the thread, and the loop waits in
// epoll for all of its tasks. This does not involve Go's scheduler or its poller, so a call costs
// as much as in a C program with one event loop. On systems without event loops, a task is a
// goroutine.
package loop

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Scheduler runs tasks. Tasks are added before Run is called.
type Scheduler interface {
	// Go adds a task, which begins when Run does. Tasks are distributed in turn: of n loops, task i
	// runs on loop i modulo n. The tasks of one loop run one at a time, so they may share data
	// without a lock.
	Go(work func(Task))

	// Run returns when the last task has ended.
	Run()

	// Idle returns the total time since Run in which event loops waited for something to do. It is 0
	// for goroutines. It may be called from any goroutine.
	Idle() time.Duration

	// Stop ends the current and future pauses of all tasks. It may be called at any time, more than
	// once, from any goroutine.
	Stop()
}

// Task is a task's interface to its scheduler. Only the task itself may call it, except for
// Unpark.
type Task interface {
	// PauseUntil waits until moment, or returns at once if moment has passed. If the scheduler is
	// stopped, it returns false early.
	PauseUntil(moment time.Time) bool

	// Park waits until another task calls Unpark. If the scheduler is stopped, it returns false,
	// possibly early.
	Park() bool

	// Unpark ends the Park of a task; for a goroutine that is not parked, it ends the next Park.
	// Only tasks of the same loop may call it.
	Unpark()

	// Adopt moves the connections into the task's loop. From then on only tasks of this loop may
	// read from them and write to them, one at a time, until one of them releases them; any
	// goroutine may close them and set their deadlines. A loop returns an error for a session
	// without connections: its calls would block the loop's other tasks.
	Adopt(*Connections) error

	// Release makes the connections usable from any goroutine again.
	Release(*Connections) error

	// Await calls f and returns when f has returned. f may block on anything, for example on a new
	// connection, and must not use adopted connections or pauses.
	Await(f func())
}

// Connections are the connections of one session, dialed with a context of Gather.
type Connections struct {
	traffic Traffic
	reads   atomic.Pointer[reads] // set during a call by Blocks; nil otherwise

	mu   sync.Mutex
	list []adoptable
}

// Traffic returns the traffic over the connections so far. Only the owner of the session may call
// it, and not while it sends or receives. Without connections it is zero.
func (c *Connections) Traffic() Traffic {
	if c == nil {
		return Traffic{}
	}
	return c.traffic
}

// Local reports whether a connection leads to this machine itself.
func (c *Connections) Local() bool {
	if c == nil {
		return false
	}
	return slices.ContainsFunc(c.all(), func(one adoptable) bool {
		remote, local := one.RemoteAddr(), one.LocalAddr()
		if remote.Network() == "unix" {
			return true
		}
		to, is := remote.(*net.TCPAddr)
		from, too := local.(*net.TCPAddr)
		return is && too && (to.IP.IsLoopback() || to.IP.Equal(from.IP))
	})
}

// adoptable is a connection that a loop can wait for.
type adoptable interface {
	net.Conn
	adopt(t *task) error
	release() error
}

type gathering struct{}

// Gather returns a context for Dial, and the list of the connections that Dial opens with it. A
// task can adopt them.
func Gather(ctx context.Context) (context.Context, *Connections) {
	c := new(Connections)
	return context.WithValue(ctx, gathering{}, c), c
}

// Gathers reports whether connections that are dialed with ctx may be adopted.
func Gathers(ctx context.Context) bool { return ctx.Value(gathering{}) != nil }

// Dial connects with a dialer, for a driver. If ctx comes from Gather, a task can adopt the
// connection; otherwise Dial returns the dialer's connection.
func Dial(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c, ok := ctx.Value(gathering{}).(*Connections)
	if !ok {
		return conn, nil
	}
	wrapped, ok := wrap(conn, c)
	if !ok {
		return conn, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, wrapped)
	return wrapped, nil
}

// all returns the connections so far.
func (c *Connections) all() []adoptable {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}
