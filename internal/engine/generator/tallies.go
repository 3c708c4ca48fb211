package generator

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"sledge/internal/engine/order"
)

// reportsWithin is the time after a flush in which a session does not report its transactions by
// itself. It is PGSTAT_MIN_INTERVAL of PostgreSQL, the only server with a Flush.
const reportsWithin = time.Second

// done counts the work done over a connection, for comparison with the server's count. Only the
// connection's user writes it.
type done struct {
	ended  atomic.Int64 // transactions that were committed, or rolled back by the workload
	failed atomic.Int64 // tries that failed

	// The counts at the last flush, and the time of that flush as Unix time in nanoseconds.
	flushedEnded, flushedTries, flushedAt atomic.Int64

	// marks are the last three different values of ended at full seconds, newest first. The
	// aggregator's lock guards them.
	marks [3]int64
}

// flush records that the session has reported all its transactions so far to the server.
func (d *done) flush() {
	d.flushedEnded.Store(d.ended.Load())
	d.flushedTries.Store(d.ended.Load() + d.failed.Load())
	d.flushedAt.Store(time.Now().UnixNano())
}

// mark records the number of ended transactions. It is called each second. A working session
// reports at least once per second, so it has reported all transactions up to marks[2].
func (d *done) mark() {
	if n := d.ended.Load(); n != d.marks[0] {
		d.marks = [3]int64{n, d.marks[0], d.marks[1]}
	}
}

// Flush implements order.Generator. It waits for users for a little less than reportsWithin, so
// that no flushed session has reported again by itself. A user that waits for the database cannot
// flush, and a user that pauses flushes after the pause.
//
// A server that counts at once has counted at least the transactions that ended before the request,
// and at most those tried before the response. A server to which sessions report has counted each
// session's transactions up to its flush, and counts no more until the session reports again.
func (g *generator) Flush(ctx context.Context) (order.Counted, error) {
	asked := g.requestFlush(ctx)
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
		counted.PerConnection[c.place].Add(t)
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
		tries := c.tries.begun.Load()
		n := tries - c.done.failed.Load() // transactions in flight may have been committed
		if group.flushed(c, asked) && since < reportsWithin {
			n, tries = c.done.flushedEnded.Load(), c.done.flushedTries.Load()
		}
		counted.PerConnection[c.place].Add(order.Tally{Succeeded: n, Tried: tries})
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
	return order.Counted{Flush: asked, Flushed: g.doneFlushes.Load(), Flushing: g.begunFlushes.Load(), PerConnection: make([]order.Tally, places)}
}

func (g *generator) eachConnection(do func(*group, *connection)) {
	for _, group := range g.groups {
		for _, c := range group.connections.all() {
			do(group, c)
		}
	}
}

// flushed reports whether the connection was flushed for the given request.
func (l *connector) flushed(c *connection, asked int32) bool {
	return l.plan.Server.Flush != nil && c.flushed.Load() >= asked
}

// requestFlush requests a flush from all users, waits for it, and returns the number of the request.
// In a run without a monitor the users have ended, so it flushes their connections itself.
func (g *generator) requestFlush(ctx context.Context) (asked int32) {
	p := g.groups[0].plan // all groups use the same server
	if p.Server.Flush == nil {
		return 0
	}
	asked = g.flush.Add(1)
	var asking []*connection
	g.eachConnection(func(group *group, c *connection) {
		if p.Pacing.Unmonitored() {
			c.flush(ctx, group, asked)
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

// flush flushes the session's statistics to the server, which would otherwise count its
// transactions late. It ignores an error: the session is then lost, and the next transaction
// reports that.
func (c *connection) flush(ctx context.Context, g *group, asked int32) {
	if c.session != nil {
		g.begunFlushes.Add(1)
		_ = g.plan.Server.Flush(ctx, c.session)
		g.doneFlushes.Add(1)
		c.done.flush()
	}
	c.flushed.Store(asked)
}

// flushIfRequested flushes the connection if a flush was requested since the connection's last flush.
func (c *connection) flushIfRequested(ctx context.Context, g *group) {
	if asked := g.flush.Load(); asked != c.flushed.Load() {
		c.flush(ctx, g, asked)
	}
}
