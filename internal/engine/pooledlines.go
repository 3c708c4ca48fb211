package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// pooledLines are a user's own connections, one each of all in the pool. Which one serves a
// transaction is decided by its kind. One that is lost is passed over.
type pooledLines struct {
	connections []*connection // by their places in the pool
	down        []bool        // those of them that are lost
	missing     int           // how many
	chooser     *pool.Chooser
}

// layPooledLines gives each user its connections.
func (g *generator) layPooledLines() {
	n, all := len(g.plan.pool.connections), g.connections.all()
	for i, u := range g.users {
		u.lines = &pooledLines{
			connections: all[i*n : (i+1)*n], down: make([]bool, n),
			chooser: pool.NewChooser(g.plan.pool.table, g.plan.Seed, i),
		}
	}
}

func (l *pooledLines) enter(_ *generator, u *user) error {
	var err error
	for _, c := range l.connections {
		err = errors.Join(err, u.task.Adopt(c.sockets))
	}
	return err
}

func (l *pooledLines) leave(g *generator, u *user, harmed bool) error {
	var err error
	for _, c := range l.own() { // the others were released when they were lost
		err = errors.Join(err, c.leave(g, u.task, harmed))
	}
	return err
}

func (l *pooledLines) take(g *generator, u *user, kind meter.Kind) (c *connection, queued time.Duration, err error) {
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

// choose returns the place of the connection for a kind of transaction, or -1 where all of
// those it may go to are lost.
func (l *pooledLines) choose(g *generator, u *user, kind meter.Kind) (at int, err error) {
	if err := l.regain(g, u); err != nil {
		return -1, err
	}
	return l.chooser.Choose(int(kind), l.down), nil
}

// await waits until a connection is there again that a kind of transaction may go to. It
// returns -1 where the run ends first.
func (l *pooledLines) await(g *generator, u *user, kind meter.Kind) (at int, queued time.Duration, err error) {
	const often = 10 * time.Millisecond
	for asked := time.Now(); ; {
		if !u.task.PauseUntil(time.Now().Add(often)) {
			return -1, 0, nil
		}
		if at, err = l.choose(g, u, kind); at >= 0 || err != nil {
			return at, time.Since(asked), err
		}
		if limit := g.plan.Pacing.ReconnectLimit; time.Since(asked) > limit {
			return -1, 0, fmt.Errorf("no connection for %s has come back for %s, which is what option %s allows",
				g.plan.Workload.Kinds[kind].Name, limit, g.plan.Spec.Names.Of("reconnect_limit"))
		}
	}
}

func (l *pooledLines) give(_ *generator, u *user, _ *connection) { u.on.Store(nil) }

func (l *pooledLines) answer(g *generator, _ *user) {
	for i, c := range l.connections {
		if !l.down[i] {
			c.answer(g.calls, g)
		}
	}
}

func (l *pooledLines) own() (list []*connection) {
	for i, c := range l.connections {
		if !l.down[i] {
			list = append(list, c)
		}
	}
	return list
}

// lose has the user do without a connection. The error is non-nil where it is not to be made
// again, and some kind of transaction has none without it.
func (l *pooledLines) lose(g *generator, u *user, c *connection, failure error) error {
	if g.stopping.Load() {
		return nil
	}
	l.down[c.place] = true
	l.missing++
	c.lost.Store(true)
	g.noteLoss(int(c.place), failure)
	if err := u.task.Release(c.sockets); err != nil {
		return err
	}
	if g.plan.Pacing.Reconnect {
		if err := g.noteReconnect(u, failure); err != nil {
			return err
		}
		g.reviving.Go(func() { g.revive(c) })
		return nil
	}
	for kind, lane := range g.plan.pool.table.Lanes {
		if !l.anyUp(lane) {
			return g.plan.pool.about(int(c.place), fmt.Errorf("it is lost, and %s may go to no other: %w", g.plan.Workload.Kinds[kind].Name, failure))
		}
	}
	return nil
}

func (l *pooledLines) anyUp(lane pool.Lane) bool {
	for _, c := range lane.Connections {
		if !l.down[c] {
			return true
		}
	}
	return false
}

// regain has the user take on connections that were made again.
func (l *pooledLines) regain(g *generator, u *user) error {
	if l.missing == 0 {
		return nil
	}
	for i, c := range l.connections {
		if !l.down[i] || !c.again.CompareAndSwap(true, false) {
			continue
		}
		if err := u.task.Adopt(c.sockets); err != nil {
			return g.plan.pool.about(i, err)
		}
		l.down[i] = false
		l.missing--
		c.flushed.Store(g.flush.Load())
		c.lost.Store(false)
		g.noteReturn(i)
	}
	return nil
}

// revive makes a connection again that its user does without meanwhile, with pauses, until
// the run stops.
func (g *generator) revive(c *connection) {
	c.close()
	chance := rand.New(rand.NewPCG(g.plan.Seed, reconnectStream^uint64(c.number)))
	for try := 0; pause(g.connecting, g.plan.pauseBefore(try, chance)) == nil; try++ {
		err := job.Guarded(func() error { return g.reopen(c) })
		if err == nil {
			g.lost.back()
			c.again.Store(true)
			return
		}
		if job.ExitOf(err) == job.ExitInternal {
			g.die(err)
			return
		}
	}
}

// poolLoss is what is known of a connection of the pool that users have lost.
type poolLoss struct {
	sessions, back int
	first, last    time.Time // when one was lost first, and when one was there again last
	why            error     // of the first
}

// noteLoss notes that one more user has lost a connection of the pool.
func (g *generator) noteLoss(connection int, why error) {
	g.mu.Lock()
	l := &g.poolLosses[connection]
	l.sessions++
	first := l.sessions == 1
	if first {
		l.first, l.why = time.Now(), why
	}
	g.mu.Unlock()
	if first {
		until := "from now on"
		if g.plan.Pacing.Reconnect {
			until = "until it is there again"
		}
		g.feed.message(g.plan.monitor(), "%v; transactions go to the others of their lists %s",
			g.plan.pool.about(connection, fmt.Errorf("%s is lost: %w", g.plan.over(connection).target(), why)), until)
	}
}

// noteReturn notes that a user has a connection of the pool again.
func (g *generator) noteReturn(connection int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := &g.poolLosses[connection]
	l.back++
	l.last = time.Now()
}

// describePool says what was done over each connection of the pool in the measured time.
func (r *run) describePool(result *job.Result, m measurement) {
	if r.shares == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &job.Pool{Users: r.shares.Users()}
	for i, sum := range r.shares.Connections(m.elapsed) {
		c := job.PoolConnection{
			Name: r.plan.pool.table.Connections[i].Name, Target: r.plan.over(i).target(), Server: r.servers[i],
			Monitored: r.leadsHome(i),
		}
		for k := range sum.Kinds {
			t := &sum.Kinds[k]
			kind := job.PoolShare{
				Kind: r.plan.Workload.Kinds[k].Name, Done: t.Done, RolledBack: t.RolledBack, Failed: t.Failures(),
				PerMinute: sum.PerMinute(t.Done + t.RolledBack),
			}
			c.PerMinute += kind.PerMinute
			c.Failed += kind.Failed
			c.Shares = append(c.Shares, kind)
		}
		if all := sum.All(); all.Done > 0 {
			c.P50, c.P99 = float64(all.Response.ValueAtQuantile(50))/1e9, float64(all.Response.ValueAtQuantile(99))/1e9
		}
		if l := r.poolLosses[i]; l.sessions > 0 {
			c.Lost = &job.PoolLoss{At: l.first, From: l.first.Sub(m.started).Seconds(), Sessions: l.sessions, Back: l.back, Why: l.why.Error()}
			if l.back > 0 {
				c.Lost.BackBy = l.last.Sub(m.started).Seconds()
			}
		}
		p.Connections = append(p.Connections, c)
	}
	result.Pool = p
}

// leadsHome reports whether a connection of the pool leads where the monitor's does.
func (r *run) leadsHome(connection int) bool {
	return r.plan.over(connection).target() == r.plan.target()
}

// leadsElsewhere reports whether any does not.
func (r *run) leadsElsewhere() bool {
	for i := range r.plan.pool.connections {
		if !r.leadsHome(i) {
			return true
		}
	}
	return false
}
