package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// A run reads two counts of the server's, before and after it measures: the workload's
// own, by its probe, and the server's of all transactions, by its counter. Users go on
// meanwhile, so that which of their transactions a reading has seen is only known
// within bounds. Those follow from what users ended while it was taken, and from what
// they had under way when it was there.

// reading is one time that the server was asked for its counts.
type reading struct {
	probe, counter count

	uncounted string // why the server has no counter for the user; "" where it has
	unread    string // why there is no reading, or not all of it; "" where there is

	// How many transactions of our own the counter holds, of those that tellServer makes:
	// at least told, at most telling.
	told, telling int64

	// What users ended while the probe was read, and what they had in flight when it had been
	// read: that may have been committed, and seen by the server, though they did not know yet.
	probeEdge, probeUnderWay meter.Summary

	// What the counter holds of the users' work: over all connections, and over those that
	// lead where the monitor's does.
	all, home tally
}

func newReading(kinds int) reading {
	return reading{probeEdge: meter.NewSummary(kinds), probeUnderWay: meter.NewSummary(kinds)}
}

// tally is what a reading of the server's counter holds of the users' transactions since they
// logged in, and how many the users had ended by then.
type tally struct {
	ended int64
	sure  bounds // of those that ended as they should, which the server counts
	tries bounds // of all, failed ones included, which it may count
}

// bounds are between which numbers a number is.
type bounds struct{ low, high int64 }

// reportsWithin is how soon after a flush a session may report its transactions again by
// itself. It is PostgreSQL's PGSTAT_MIN_INTERVAL, the only server with a Flush.
const reportsWithin = time.Second

// done is what was done over a connection, for those who compare it with the server's count.
// Its user alone writes it.
type done struct {
	began  atomic.Int64 // tries
	ended  atomic.Int64 // transactions that were committed, or rolled back as the workload asks
	failed atomic.Int64 // tries

	// The same at the last flush, and when that was: Unix time in nanoseconds.
	flushedEnded, flushedTries, flushedAt atomic.Int64

	// marks are the last three different values of ended, each at a full second, newest first.
	// Only the goroutine that measures uses them.
	marks [3]int64
}

// flush notes that the server has been told of everything so far.
func (d *done) flush() {
	d.flushedEnded.Store(d.ended.Load())
	d.flushedTries.Store(d.ended.Load() + d.failed.Load())
	d.flushedAt.Store(time.Now().UnixNano())
}

// mark notes how many transactions have ended. It is called each second. What a session has
// ended before its last two marks it has reported: it does so at least once a second while it
// works.
func (d *done) mark() {
	if n := d.ended.Load(); n != d.marks[0] {
		d.marks = [3]int64{n, d.marks[0], d.marks[1]}
	}
}

// tallies begins the two tallies of a reading that is about to begin, and returns what
// completes them when the server has answered. Asked is the flush that the reading waited for.
//
// A server that counts at once has counted what had ended before it was asked, and at most
// what was tried when it has answered. One that sessions report to knows what each of them had
// done at its flush, and no more until it reports again.
func (r *run) tallies(to *reading, asked int32) (complete func()) {
	list := r.connections.all()
	home := func(c *connection) bool { return r.shares == nil || r.leadsHome(int(c.place)) }
	add := func(c *connection, t tally) {
		to.all.add(t)
		if home(c) {
			to.home.add(t)
		}
	}
	to.all, to.home = tally{}, tally{}
	flushed := func(c *connection) bool { return r.plan.Server.Flush != nil && c.flushed.Load() >= asked }
	for _, c := range list {
		n, tries := c.done.ended.Load(), c.done.ended.Load()+c.done.failed.Load()
		switch {
		case flushed(c):
			n, tries = c.done.flushedEnded.Load(), c.done.flushedTries.Load()
			add(c, tally{ended: n, sure: bounds{low: n}, tries: bounds{low: tries}})
		case r.plan.Server.Flush != nil: // it is in a long transaction, or pauses
			add(c, tally{ended: n, sure: bounds{low: c.done.marks[2]}, tries: bounds{low: c.done.marks[2]}})
		default:
			add(c, tally{ended: n, sure: bounds{low: n}, tries: bounds{low: tries}})
		}
	}
	return func() {
		now := time.Now()
		var at time.Duration // of all flushes, before the reading
		for _, c := range list {
			since := now.Sub(time.Unix(0, c.done.flushedAt.Load()))
			if flushed(c) && c.flushed.Load() == asked {
				at += min(since, reportsWithin)
			}
			tries := c.done.began.Load()
			n := tries - c.done.failed.Load() // what is in flight may have been committed
			if flushed(c) && since < reportsWithin {
				n, tries = c.done.flushedEnded.Load(), c.done.flushedTries.Load()
			}
			add(c, tally{sure: bounds{high: n}, tries: bounds{high: tries}})
		}
		if len(list) > 0 {
			to.counter.at = to.counter.at.Add(-at / time.Duration(len(list)))
		}
	}
}

func (t *tally) add(o tally) {
	t.ended += o.ended
	t.sure.add(o.sure)
	t.tries.add(o.tries)
}

func (b *bounds) add(o bounds) {
	b.low += o.low
	b.high += o.high
}

// counts is the reading as an event.
func (r reading) counts(end bool) *job.Counts {
	c := &job.Counts{End: end, Probe: r.probe.n}
	if r.counter.read {
		c.Transactions = &r.counter.n
	}
	return c
}

// count is a cumulative count of the server's at a moment.
type count struct {
	n    int64
	at   time.Time
	read bool // whether there is such a count
}

// order says which count is read first: the probe next to the measurement, since it
// takes less time and is the one that must be exact.
type order bool

const (
	counterFirst order = false
	probeFirst   order = true
)

// read asks the server for its counts. What users end meanwhile is added to the sums,
// too.
func (r *run) read(ctx context.Context, s database.Session, to *reading, first order, sums ...meter.Sum) error {
	within := fmt.Errorf("the server did not answer within %s", r.plan.Grace)
	ctx, cancel := context.WithTimeoutCause(ctx, r.plan.Grace, within)
	defer cancel()
	defer r.notice("the server's counts")()
	probe := func() (err error) {
		to.probe, err = r.plan.probe(ctx, s)
		if err != nil {
			return fmt.Errorf("read the server's count of %s: %w", r.plan.Workload.Title, cmp.Or(context.Cause(ctx), err))
		}
		r.takeEdge(&to.probeEdge, &to.probeUnderWay, sums)
		return nil
	}
	counter := func() (err error) {
		complete := r.tallies(to, r.askForCount(ctx))
		to.told = r.told.Load()
		to.counter, err = r.plan.counter(ctx, s)
		to.telling = r.telling.Load()
		if without, is := errors.AsType[*database.UncountedError](err); is {
			to.uncounted, err = without.Text, nil
		}
		if err != nil {
			return fmt.Errorf("read the server's count of transactions: %w", cmp.Or(context.Cause(ctx), err))
		}
		complete()
		r.take(sums...)
		return nil
	}
	steps := []func() error{counter, probe}
	if first == probeFirst {
		steps = []func() error{probe, counter}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// readAgain reads the server's counts, again if that fails in a way that may pass, and over
// another session if the one it has is lost: renewed says so. A reading that cannot be had at
// all is said to be missing, and the run goes on: an error is that the run is to end.
func (r *run) readAgain(ctx context.Context, s *database.Session, to *reading, first order, sums ...meter.Sum) (renewed bool, err error) {
	until := time.Now().Add(r.patience())
	for try := 1; ; try++ {
		if *s == nil {
			renewed = true
			err = r.connectAgain(ctx, s)
		}
		if *s != nil {
			if first == counterFirst { // nothing that ended before counts
				*to = newReading(len(r.plan.Workload.Kinds))
			}
			err = job.Guarded(func() error { return r.read(ctx, *s, to, first, sums...) })
		}
		switch {
		case err == nil:
			return renewed, nil
		case ctx.Err() != nil, job.ExitOf(err) == job.ExitInternal:
			return renewed, err
		}
		class := r.plan.Database.Classify(err)
		if class == meter.Connection || errors.Is(err, context.DeadlineExceeded) {
			closeQuietly(s)
		}
		if r.death() != nil || time.Now().After(until) || class != meter.Connection && !class.Retryable() || pause(ctx, backoff(try)) != nil {
			to.unread = err.Error()
			r.take(sums...) // what has ended meanwhile is not of the measured time
			r.feed.message(job.Monitor, "The run goes on without the server's counts: %v", err)
			return renewed, nil
		}
	}
}

// patience is for how long the monitor tries to connect again, and to read counts.
func (r *run) patience() time.Duration {
	if r.plan.Pacing.Reconnect {
		return max(r.plan.Pacing.ReconnectLimit, patience)
	}
	return patience
}

// connectAgain puts a new session in the place of one that is lost, if it is not the
// first. It tries until its patience ends, or a user has lost a connection for good.
func (r *run) connectAgain(ctx context.Context, s *database.Session) error {
	closeQuietly(s)
	chance := r.plan.rand(-1)
	for try, began := 0, time.Now(); ; try++ {
		fresh, _, err := connectFrom(ctx, r.plan, 0, database.Owner)
		if err == nil {
			fresh, err = steadied(ctx, r.plan, fresh)
		}
		if err == nil {
			*s = fresh
			if r.plan.Schema.Claims != nil { // with the one that was lost its claim has gone
				_, _ = r.plan.Schema.Claims.Share(ctx, fresh)
			}
			return nil
		}
		if r.death() != nil || time.Since(began) > r.patience() || pause(ctx, r.plan.pauseBefore(try, chance)) != nil {
			return err
		}
	}
}

// takeEdge takes what users ended while a count was read, and notes what they have
// under way. A transaction that the server has seen is in one of the two, because
// users take it off only after they have recorded it.
func (r *run) takeEdge(ended, underWay *meter.Summary, sums []meter.Sum) {
	for _, w := range r.underWay() {
		if w.on != nil { // else the server knows nothing of it
			underWay.Kinds[w.kind].Done++
		}
	}
	r.take(append([]meter.Sum{ended}, sums...)...)
}

// notice says what is being waited for, once that can be noticed and every so often
// after that, until done is called.
func (r *run) notice(what string) (done func()) {
	began := time.Now()
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(noticeable)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.feed.message(job.Monitor, "Waiting for %s for %.0f s", what, time.Since(began).Seconds())
				tick.Reset(noticedAgain)
			case <-quit:
				return
			}
		}
	})
	return func() { close(quit); watching.Wait() }
}

// tellServer has the server count what was done so far over this connection, where it would
// otherwise learn of it late. An error means that the session is gone, as the next
// transaction will say.
func (c *connection) tellServer(ctx context.Context, g *generator, asked int32) {
	if c.session != nil {
		g.telling.Add(1)
		_ = g.plan.Server.Flush(ctx, c.session)
		g.told.Add(1)
		c.done.flush()
	}
	c.flushed.Store(asked)
}

// answer has the server count where that has been asked for since it last did.
func (c *connection) answer(ctx context.Context, g *generator) {
	if asked := g.flush.Load(); asked != c.flushed.Load() {
		c.tellServer(ctx, g, asked)
	}
}

// askForCount has users tell the server what they have done. It waits for them no longer
// than sessions that have told it are silent for: who waits for the database cannot tell it
// anything, and who pauses does so afterwards. It returns the number of the request.
func (r *run) askForCount(ctx context.Context) (asked int32) {
	if r.plan.Server.Flush == nil {
		return 0
	}
	defer func() { r.toldAll = time.Now() }()
	asked, asking := r.flush.Add(1), r.connections.all()
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

// counter reads the server's own count of transactions. It was not read where the server
// keeps none.
func (p Plan) counter(ctx context.Context, s database.Session) (count, error) {
	if p.Server.Counter == nil {
		return count{}, nil
	}
	return countOf(func() (int64, error) { return p.Server.Counter(ctx, s) })
}

// probe reads the workload's count. It was not read where the workload has none.
func (p Plan) probe(ctx context.Context, s database.Session) (count, error) {
	if !p.SQL.Has("probe") {
		return count{}, nil
	}
	return countOf(func() (int64, error) {
		t, err := p.ask(ctx, s, "probe", 1)
		if err != nil {
			return 0, err
		}
		if len(t.Rows) != 1 || len(t.Rows[0]) != 1 {
			return 0, fmt.Errorf("the query probe returned %v instead of one value", t.Rows)
		}
		return strconv.ParseInt(t.Rows[0][0], 10, 64)
	})
}

// countOf reads a count, in the middle of the time that it takes.
func countOf(read func() (int64, error)) (count, error) {
	before := time.Now()
	n, err := read()
	return count{n: n, at: before.Add(time.Since(before) / 2), read: err == nil}, err
}

// ask runs one of the workload's own questions, which stand in its files in whatever
// language the sessions of the database take.
func (p Plan) ask(ctx context.Context, s database.Session, name string, limit int) (database.Table, error) {
	q, err := p.SQL.Query(name)
	if err != nil {
		return database.Table{}, err
	}
	return s.Query(ctx, q.Text, limit)
}
