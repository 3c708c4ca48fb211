package generator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/engine/order"
	"sledge/internal/engine/pool"
	"sledge/internal/meter"
)

// openPooled opens connection number i of a run with a pool. Each user has one connection per entry
// of the pool, and the connections are numbered user by user.
func (l *connector) openPooled(ctx context.Context, i int) (*connection, error) {
	n := len(l.plan.Pool.Connections)
	c, err := l.open(ctx, l.plan.Over(i%n), i, 0, l.introducer(i))
	if c != nil {
		c.place = int32(i % n)
	}
	return c, err
}

// poolRouter routes over a user's own connections, one for each entry of the pool. The kind of a
// transaction determines the connections that may execute it. The router skips lost connections.
type poolRouter struct {
	connections []*connection // by position in the pool
	down        []bool        // whether each is lost
	missing     int           // number of lost connections
	chooser     *pool.Chooser
}

// assignPoolRouters gives each user a router over its connections of the pool.
func (g *group) assignPoolRouters() {
	n, all := len(g.plan.Pool.Connections), g.connections.all()
	for i, u := range g.users {
		u.router = &poolRouter{
			connections: all[i*n : (i+1)*n], down: make([]bool, n),
			chooser: pool.NewChooser(g.plan.Pool.Table, g.plan.Spec.Seed, i),
		}
	}
}

func (l *poolRouter) enter(_ *group, u *user) error {
	var err error
	for _, c := range l.connections {
		err = errors.Join(err, u.task.Adopt(c.sockets))
	}
	return err
}

func (l *poolRouter) leave(g *group, u *user, harmed bool) error {
	var err error
	for _, c := range l.own() { // lose has released the others
		err = errors.Join(err, c.leave(g, u.task, harmed))
	}
	return err
}

func (l *poolRouter) take(g *group, u *user, kind meter.Kind) (c *connection, queued time.Duration, err error) {
	at, err := l.choose(g, u, kind)
	if at < 0 && err == nil {
		at, queued, err = l.await(g, u, kind)
	}
	if at < 0 || err != nil {
		return nil, 0, err
	}
	c = l.connections[at]
	u.on.Store(c)
	return c, queued, nil
}

// choose returns the position of the connection for a kind of transaction, or -1 if all connections
// that this kind may use are lost.
func (l *poolRouter) choose(g *group, u *user, kind meter.Kind) (at int, err error) {
	if err := l.regain(g, u); err != nil {
		return -1, err
	}
	return l.chooser.Choose(int(kind), l.down), nil
}

// await waits until a connection is available again for a kind of transaction. It returns -1 if the
// run ends first.
func (l *poolRouter) await(g *group, u *user, kind meter.Kind) (at int, queued time.Duration, err error) {
	const often = 10 * time.Millisecond
	for asked := time.Now(); ; {
		if !u.task.PauseUntil(time.Now().Add(often)) {
			return -1, 0, nil
		}
		if at, err = l.choose(g, u, kind); at >= 0 || err != nil {
			return at, time.Since(asked), err
		}
		if limit := g.plan.Pacing.Reconnect.Limit; time.Since(asked) > limit {
			return -1, 0, fmt.Errorf("no connection for %s has come back for %s, which is what option %s allows",
				g.plan.Workload.Kinds[kind].Name, limit, g.plan.Spec.Names.Of("reconnect_limit"))
		}
	}
}

func (l *poolRouter) give(_ *group, u *user, _ *connection) { u.on.Store(nil) }

func (l *poolRouter) flushIfRequested(g *group, _ *user) {
	for i, c := range l.connections {
		if !l.down[i] {
			c.flushIfRequested(g.calls, g)
		}
	}
}

func (l *poolRouter) own() (list []*connection) {
	for i, c := range l.connections {
		if !l.down[i] {
			list = append(list, c)
		}
	}
	return list
}

// lose removes a lost connection from the user. It returns an error if the connection will not be
// reopened and some kind of transaction can use no other.
func (l *poolRouter) lose(g *group, u *user, c *connection, failure error) error {
	if g.stopping.Load() {
		return nil
	}
	l.down[c.place] = true
	l.missing++
	c.lost.Store(true)
	if g.poolLosses.note(int(c.place), failure) {
		g.reportLoss(int(c.place), failure)
	}
	if err := u.task.Release(c.sockets); err != nil {
		return err
	}
	if g.plan.Pacing.Reconnect.Wanted {
		if err := g.lost.noteReconnect(u, failure); err != nil {
			return err
		}
		g.lost.reviving.Go(func() { g.lost.revive(c) })
		return nil
	}
	for kind, lane := range g.plan.Pool.Table.Lanes {
		if !l.anyUp(lane) {
			return g.plan.Pool.About(int(c.place), fmt.Errorf("it is lost, and it is the only one for %s: %w", g.plan.Workload.Kinds[kind].Name, failure))
		}
	}
	return nil
}

func (l *poolRouter) anyUp(lane pool.Lane) bool {
	for _, c := range lane.Connections {
		if !l.down[c] {
			return true
		}
	}
	return false
}

// regain gives the user its reopened connections.
func (l *poolRouter) regain(g *group, u *user) error {
	if l.missing == 0 {
		return nil
	}
	for i, c := range l.connections {
		if !l.down[i] || !c.again.CompareAndSwap(true, false) {
			continue
		}
		if err := u.task.Adopt(c.sockets); err != nil {
			return g.plan.Pool.About(i, err)
		}
		l.down[i] = false
		l.missing--
		c.flushed.Store(g.flush.Load())
		c.lost.Store(false)
		g.poolLosses.back(i)
	}
	return nil
}

// poolLosses are the losses of each connection of the pool.
type poolLosses struct {
	mu   sync.Mutex
	list []order.ConnectionLoss
}

// note records the loss of a connection and its cause.
func (l *poolLosses) note(connection int, why error) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := &l.list[connection]
	one.Sessions++
	if one.Sessions > 1 {
		return false
	}
	one.First, one.Why = time.Now(), why.Error()
	return true
}

// back records that a connection was replaced.
func (l *poolLosses) back(connection int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := &l.list[connection]
	one.Back++
	one.Last = time.Now()
}

// reportLoss reports the first loss of a connection of the pool.
func (l *connector) reportLoss(connection int, why error) {
	until := "from now on"
	if l.plan.Pacing.Reconnect.Wanted {
		until = "until it is reopened"
	}
	l.feed.Message(l.plan.Monitor(), "%v; its transactions use other connections %s",
		l.plan.Pool.About(connection, fmt.Errorf("%s is lost: %w", l.plan.Over(connection).Target(), why)), until)
}
