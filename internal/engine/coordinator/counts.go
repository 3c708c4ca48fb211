package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// A run reads two counts of the server before and after the measured time: the workload's own
// count, with its probe, and the server's count of all transactions, with its counter. Users work
// during a reading, so the number of their transactions that it includes is only known within
// bounds. The bounds follow from the transactions that ended during the reading, and from those in
// flight after it.

// reading is one reading of the server's counts.
type reading struct {
	counter target.Count
	groups  []probed // one per group, in the order of Prepare

	uncounted string // why the user cannot read the server's counter; "" if the user can
	unread    string // why the reading is missing or incomplete; "" if it is complete

	// The counter includes flushes, which are transactions too: at least flushed, at most flushing.
	flushed, flushing int64

	own int64 // the observers' transactions until then, which the counter may include

	// The users' transactions that the counter includes: over all connections, and over those to
	// the monitor's server.
	all, home tally
}

// probed is the count of a group's workload.
type probed struct {
	target.Count

	// Transactions that ended while the probe was read, and those in flight after it. The latter
	// may have been committed and counted before their users knew.
	edge, inFlight meter.Summary
}

// tally holds, within bounds, the users' transactions since they logged in that a reading of the
// server's counter includes.
type tally struct {
	ended int64
	sure  bounds // transactions that ended as they should, which the server counts
	tries bounds // all tries, including failed ones, which the server may count
}

// bounds are the lower and the upper bound of a number.
type bounds struct{ low, high int64 }

func (l runGroups) newReading() reading {
	list := make([]probed, len(l))
	for i, g := range l {
		kinds := len(g.Plan.Workload.Kinds)
		list[i].edge, list[i].inFlight = meter.NewSummary(kinds), meter.NewSummary(kinds)
	}
	return reading{groups: list}
}

func tallyOf(least, most order.Tally) tally {
	return tally{
		ended: least.Ended, sure: bounds{least.Succeeded, most.Succeeded}, tries: bounds{least.Tried, most.Tried},
	}
}

// counts returns the reading as an event.
func (r reading) counts(end bool) *job.Counts {
	c := &job.Counts{End: end, Probe: r.groups[0].N}
	if r.counter.Read {
		c.Transactions = &r.counter.N
	}
	return c
}

// serverCounts reads the server's counts.
type serverCounts struct {
	plan   plan.Plan
	groups runGroups
	link   *link
	feed   *feed.Feed

	own       *ownSessions
	observed  *observer.Counter // polls the count; nil if the server has no counter
	rated     *observer.Reading // the newest reading that tpm has used
	lastFlush time.Time         // time of the last flush of all users
}

// sequence is the order in which the two counts are read. The probe is read next to the measured
// time, because it is faster and must be exact.
type sequence bool

const (
	counterFirst sequence = false
	probeFirst   sequence = true
)

// read reads the server's counts.
func (c *serverCounts) read(ctx context.Context, s database.Session, to *reading, first sequence) error {
	within := fmt.Errorf("the server did not answer within %s", c.plan.Grace)
	ctx, cancel := context.WithTimeoutCause(ctx, c.plan.Grace, within)
	defer cancel()
	defer notice(c.feed, "the server's counts")()
	if first == counterFirst && c.plan.Server.Flush != nil {
		_ = c.plan.Server.Flush(ctx, s) // the monitor's own transactions; reading the counter notices a lost session
	}
	steps := []func(context.Context, database.Session, *reading) error{c.readCounter, c.readProbes}
	if first == probeFirst {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(ctx, s, to); err != nil {
			return err
		}
	}
	return nil
}

// readProbes reads the count of each group's workload.
func (c *serverCounts) readProbes(ctx context.Context, s database.Session, to *reading) (err error) {
	for i, g := range c.groups {
		if to.groups[i].Count, err = target.ReadProbe(ctx, g.Plan.Job, s); err != nil {
			return fmt.Errorf("read the server's count of %s: %w", g.Plan.Workload.Title, cmp.Or(context.Cause(ctx), err))
		}
	}
	edge, err := call(c.link, c.link.generator.Cut)
	if err != nil {
		return err
	}
	for i, g := range c.groups {
		if err := g.checkKinds(edge.Ended, edge.InFlight); err != nil {
			return c.link.lose(err)
		}
		to.groups[i].edge, to.groups[i].inFlight = edge.Ended[i].Counts(), edge.InFlight[i].Counts()
	}
	return nil
}

// readCounter reads the server's own count of transactions.
func (c *serverCounts) readCounter(ctx context.Context, s database.Session, to *reading) error {
	least, err := call(c.link, c.link.generator.Flush)
	if err != nil {
		return err
	}
	if least.Flush > 0 {
		c.lastFlush = time.Now()
	}
	to.counter, err = target.ReadCount(ctx, c.plan.Job, s)
	if without, is := errors.AsType[*database.UncountedError](err); is {
		to.uncounted, err = without.Text, nil
	}
	if err != nil {
		return fmt.Errorf("read the server's count of transactions: %w", cmp.Or(context.Cause(ctx), err))
	}
	to.own = c.own.statements.Load() * int64(c.plan.Server.CounterOwn)
	most, err := call(c.link, func(ctx context.Context) (order.Counted, error) { return c.link.generator.Counted(ctx, least.Flush) })
	if err != nil {
		return err
	}
	to.flushed, to.flushing = least.Flushed, most.Flushing
	to.counter.At = to.counter.At.Add(-most.Age)
	var all, home [2]order.Tally
	for i, of := range []order.Counted{least, most} {
		if len(of.PerConnection) != c.plan.Pool.Size() {
			return c.link.lose(fmt.Errorf("it counts over %d connections of the pool, and not %d", len(of.PerConnection), c.plan.Pool.Size()))
		}
		for place, n := range of.PerConnection {
			all[i].Add(n)
			if c.plan.LeadsHome(place) {
				home[i].Add(n)
			}
		}
	}
	to.all, to.home = tallyOf(all[0], all[1]), tallyOf(home[0], home[1])
	_, err = call(c.link, c.link.generator.Cut) // transactions that ended until now belong to no phase
	return err
}

// readAgain reads the server's counts. It retries after failures that may be temporary. If the
// session is lost, it retries over a new one and returns renewed. If it cannot read the counts at
// all, it marks the reading as missing, and the run continues. An error means that the run must
// end.
func (c *serverCounts) readAgain(ctx context.Context, s *database.Session, to *reading, first sequence) (renewed bool, err error) {
	until := time.Now().Add(c.patience())
	for try := 1; ; try++ {
		if *s == nil {
			renewed = true
			err = c.connectAgain(ctx, s)
		}
		if *s != nil {
			if first == counterFirst { // transactions that ended before do not count
				*to = c.groups.newReading()
			}
			err = job.Guarded(func() error { return c.read(ctx, *s, to, first) })
		}
		switch {
		case err == nil:
			return renewed, nil
		case ctx.Err() != nil, c.link.gone() != nil, job.ExitOf(err) == job.ExitInternal:
			return renewed, err
		}
		class := c.plan.Database.Sessions.Classify(err)
		if class == meter.Connection || errors.Is(err, context.DeadlineExceeded) {
			target.CloseQuietly(s)
		}
		if c.link.death() != nil || time.Now().After(until) || class != meter.Connection && !class.Retryable() || target.Pause(ctx, plan.Backoff(try)) != nil {
			to.unread = err.Error()
			if _, err := call(c.link, c.link.generator.Cut); err != nil { // transactions that ended meanwhile are not in the measured time
				return renewed, err
			}
			c.feed.Message(job.Monitor, "The run continues without the server's counts: %v", err)
			return renewed, nil
		}
	}
}

// patience returns the time limit for connecting again and reading the counts.
func (c *serverCounts) patience() time.Duration {
	if c.plan.Pacing.Reconnect.Wanted {
		return max(c.plan.Pacing.Reconnect.Limit, target.Patience)
	}
	return target.Patience
}

// connectAgain replaces a lost session. It retries until its time limit, or until a user has lost a
// connection for good.
func (c *serverCounts) connectAgain(ctx context.Context, s *database.Session) error {
	target.CloseQuietly(s)
	chance := c.plan.Rand(-1)
	for try, began := 0, time.Now(); ; try++ {
		fresh, _, err := target.ConnectFrom(ctx, c.plan.Job, 0, database.Owner)
		if err == nil {
			fresh, err = target.Steady(ctx, c.plan.Job, fresh)
		}
		if err == nil {
			*s = fresh
			if c.plan.Schema.Claims != nil { // the claim was lost with the session
				_, _ = c.plan.Schema.Claims.Share(ctx, fresh)
			}
			return nil
		}
		if c.link.death() != nil || time.Since(began) > c.patience() || target.Pause(ctx, c.plan.Pacing.Reconnect.PauseBefore(try, c.plan.ConnectionCount(), chance)) != nil {
			return err
		}
	}
}

// notice emits a message about a wait that takes long, and repeats it at intervals, until done is
// called.
func notice(f *feed.Feed, what string) (done func()) {
	began := time.Now()
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(feed.Noticeable)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				f.Message(job.Monitor, "Waiting for %s for %.0f s", what, time.Since(began).Seconds())
				tick.Reset(feed.NoticedAgain)
			case <-quit:
				return
			}
		}
	})
	return func() { close(quit); watching.Wait() }
}

// tpm returns the server's rate since the reading that the last call used, or nil if there is no
// newer one. After an explicit flush a session reports nothing for a while, so an interval that
// contains a flush has no rate.
func (c *serverCounts) tpm() *float64 {
	if c.observed == nil {
		return nil
	}
	now, last := c.observed.Newest(), c.rated
	if now == last {
		return nil
	}
	c.rated = now
	if last == nil || last.Session != now.Session || c.lastFlush.After(last.At) && !c.lastFlush.After(now.At) {
		return nil
	}
	tpm := float64(now.N-last.N) / now.At.Sub(last.At).Minutes()
	return &tpm
}
