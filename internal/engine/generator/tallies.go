package generator

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"sledge/internal/engine/order"
)

// reportsWithin is how soon after a flush a session may report its transactions again by
// itself. It is PostgreSQL's PGSTAT_MIN_INTERVAL, the only server with a Flush.
const reportsWithin = time.Second

// done counts the work done over a connection, for comparison with the server's count. Only the
// connection's user writes it.
type done struct {
	began  atomic.Int64 // tries
	ended  atomic.Int64 // transactions that were committed, or rolled back as the workload asks
	failed atomic.Int64 // tries

	// The counts at the last flush, and the time of that flush as Unix time in nanoseconds.
	flushedEnded, flushedTries, flushedAt atomic.Int64

	// marks are the last three different values of ended, each taken at a full second, newest
	// first. Only the goroutine that measures uses them.
	marks [3]int64
}

// flush records that the session has reported everything so far to the server.
func (d *done) flush() {
	d.flushedEnded.Store(d.ended.Load())
	d.flushedTries.Store(d.ended.Load() + d.failed.Load())
	d.flushedAt.Store(time.Now().UnixNano())
}

// mark records the number of transactions that have ended. It is called each second. The session
// has reported everything that ended before the last two marks, because a working session reports
// at least once a second.
func (d *done) mark() {
	if n := d.ended.Load(); n != d.marks[0] {
		d.marks = [3]int64{n, d.marks[0], d.marks[1]}
	}
}

// Flush implements order.Generator. It waits for users no longer than the time in which a session
// that has just reported stays silent. A user that waits for the database cannot report anything,
// and a user that pauses reports after the pause.
//
// A server that counts at once has counted everything that ended before the request, and at most
// everything that was tried before the response. A server to which sessions report knows the work
// of each session up to its flush, and learns no more until the session reports again.
func (g *generator) Flush(ctx context.Context) (order.Counted, error) {
	asked := g.askForCount(ctx)
	counted := g.counted(asked)
	g.eachConnection(func(group *group, c *connection) {
		n, tries := c.done.ended.Load(), c.done.ended.Load()+c.done.failed.Load()
		t := order.Tally{Ended: n, Succeeded: n, Tried: tries}
		switch {
		case group.flushed(c, asked):
			t.Ended, t.Succeeded, t.Tried = c.done.flushedEnded.Load(), c.done.flushedEnded.Load(), c.done.flushedTries.Load()
		case group.plan.Server.Flush != nil: // the user is in a long transaction, or pauses
			t.Succeeded, t.Tried = c.done.marks[2], c.done.marks[2]
		}
		counted.Places[c.place].Add(t)
	})
	return counted, nil
}

// Counted implements order.Generator.
func (g *generator) Counted(_ context.Context, asked int32) (order.Counted, error) {
	counted, now := g.counted(asked), time.Now()
	var age time.Duration // sum over all flushes
	connections := 0
	g.eachConnection(func(group *group, c *connection) {
		connections++
		since := now.Sub(time.Unix(0, c.done.flushedAt.Load()))
		if group.flushed(c, asked) && c.flushed.Load() == asked {
			age += min(since, reportsWithin)
		}
		tries := c.done.began.Load()
		n := tries - c.done.failed.Load() // transactions in flight may have been committed
		if group.flushed(c, asked) && since < reportsWithin {
			n, tries = c.done.flushedEnded.Load(), c.done.flushedTries.Load()
		}
		counted.Places[c.place].Add(order.Tally{Succeeded: n, Tried: tries})
	})
	if connections > 0 {
		counted.Age = age / time.Duration(connections)
	}
	return counted, nil
}

func (g *generator) counted(asked int32) order.Counted {
	places := 1
	for _, group := range g.groups {
		places = max(places, group.plan.Pool.Size())
	}
	return order.Counted{Flush: asked, Told: g.told.Load(), Telling: g.telling.Load(), Places: make([]order.Tally, places)}
}

func (g *generator) eachConnection(do func(*group, *connection)) {
	for _, group := range g.groups {
		for _, c := range group.connections.all() {
			do(group, c)
		}
	}
}

// flushed reports whether the connection was flushed for the given request.
func (l *links) flushed(c *connection, asked int32) bool {
	return l.plan.Server.Flush != nil && c.flushed.Load() >= asked
}

// askForCount asks all users for a flush, and returns the number of the request. In a run without a
// monitor, users have ended, so it flushes their connections itself.
func (g *generator) askForCount(ctx context.Context) (asked int32) {
	p := g.groups[0].plan // all groups use the same server
	if p.Server.Flush == nil {
		return 0
	}
	asked = g.flush.Add(1)
	var asking []*connection
	g.eachConnection(func(group *group, c *connection) {
		if p.Pacing.Unmonitored() {
			c.tellServer(ctx, group, asked)
		}
		asking = append(asking, c)
	})
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	silent := func(c *connection) bool { return c.flushed.Load() < asked && !c.lost.Load() }
	for until := time.Now().Add(reportsWithin * 9 / 10); slices.ContainsFunc(asking, silent); {
		if time.Now().After(until) || ctx.Err() != nil {
			break
		}
		<-tick.C
	}
	return asked
}

// tellServer makes the session report its work to the server, which would otherwise learn of it
// late. It ignores an error: the session is then lost, and the next transaction reports that.
func (c *connection) tellServer(ctx context.Context, g *group, asked int32) {
	if c.session != nil {
		g.telling.Add(1)
		_ = g.plan.Server.Flush(ctx, c.session)
		g.told.Add(1)
		c.done.flush()
	}
	c.flushed.Store(asked)
}

// answer flushes the connection if a flush was requested since its last one.
func (c *connection) answer(ctx context.Context, g *group) {
	if asked := g.flush.Load(); asked != c.flushed.Load() {
		c.tellServer(ctx, g, asked)
	}
}
