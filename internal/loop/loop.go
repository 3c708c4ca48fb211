// Package loop runs tasks that spend most of their time waiting: virtual users, who wait
// for a server to answer and for pauses to end.
//
// A task is plain blocking code over a plain driver. On an event loop it is a coroutine:
// where its connection has nothing to read, or where it pauses, it gives the thread back,
// and the loop waits for all of its tasks at once in epoll. Neither Go's scheduler nor
// its poller has a part in it, so that a call costs what it costs a C program with one
// event loop. Where there is no such loop, a task is a goroutine.
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
	// Go adds a task, which begins when Run does. Event loops are given tasks in turn: of n
	// loops, task number i is on number i modulo n. The tasks of one loop work in turns, so
	// that they may share what others may not.
	Go(work func(Task))

	// Run returns when the last task has ended.
	Run()

	// Stop ends the pauses of all tasks, those under way and those to come. It may be
	// called at any time, more than once, from any goroutine.
	Stop()
}

// Task is what a task may ask of its scheduler. It is asked by the task alone, but for
// Unpark.
type Task interface {
	// PauseUntil waits for a moment. It returns false, sooner, when the scheduler is
	// stopped. A moment that is past is not waited for.
	PauseUntil(moment time.Time) bool

	// Park waits until another task calls Unpark. It returns false, maybe sooner, when the
	// scheduler is stopped.
	Park() bool

	// Unpark ends the wait of a task in Park, if it is in one; a goroutine's next, if it is
	// in none. Only tasks of the same loop may call it.
	Unpark()

	// Adopt makes the connections wait by the task's loop. From then on only tasks of this
	// loop may read from them and write to them, one at a time, until one of them releases
	// them; any goroutine may close them and set their deadlines. A loop refuses a session that
	// has none: its calls would hold up the loop's other tasks.
	Adopt(*Connections) error

	// Release makes the connections such as anybody may use.
	Release(*Connections) error

	// Await does what may block otherwise than by an adopted connection and a pause, such
	// as connecting, and returns when it is done.
	Await(f func())
}

// Connections are those that were dialed with a context of Gather, for one session.
type Connections struct {
	traffic Traffic
	reads   atomic.Pointer[reads] // those of a call that Blocks makes; nil at any other time

	mu   sync.Mutex
	list []adoptable
}

// Traffic returns what has gone over the connections so far. Whoever uses the session may
// ask, when it neither sends nor receives; of no connections it is nothing.
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

// Gather returns a context with which Dial makes connections that a task can adopt, and
// lists them.
func Gather(ctx context.Context) (context.Context, *Connections) {
	c := new(Connections)
	return context.WithValue(ctx, gathering{}, c), c
}

// Gathers reports whether connections that are dialed with ctx may be adopted.
func Gathers(ctx context.Context) bool { return ctx.Value(gathering{}) != nil }

// Dial connects by a dialer, for a driver: where ctx gathers connections, to one that
// a task can adopt, and else to the dialer's own.
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
