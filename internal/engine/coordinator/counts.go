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

// A run reads two counts of the server's, before and after it measures: the workload's
// own, by its probe, and the server's of all transactions, by its counter. Users go on
// meanwhile, so the number of their transactions that a reading has seen is only known
// within bounds. Those follow from what users ended while it was taken, and from their
// transactions in flight when it was there.

// reading is one time that the server was asked for its counts.
type reading struct {
	counter target.Count
	groups  []probed // as they were prepared

	uncounted string // why the server has no counter for the user; "" where it has
	unread    string // why there is no reading, or not all of it; "" where there is

	// How many transactions of our own the counter holds, of flushes: at least told, at most telling.
	told, telling int64

	// What the counter holds of the users' work: over all connections, and over those that
	// lead where the monitor's does.
	all, home tally
}

// probed is the count of a group's workload.
type probed struct {
	target.Count

	// What users ended while the probe was read, and what they had in flight when it had been
	// read: that may have been committed, and seen by the server, though they did not know yet.
	edge, inFlight meter.Summary
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

// counts is the reading as an event.
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

	observed *observer.Counter // polls the count; nil if nothing does
	rated    *observer.Reading // the last that a second was reported with
	toldAll  time.Time         // when users last had told the server what they had done
}

// sequence says which count is read first: the probe next to the measurement, since it
// takes less time and is the one that must be exact.
type sequence bool

const (
	counterFirst sequence = false
	probeFirst   sequence = true
)

// read asks the server for its counts.
func (c *serverCounts) read(ctx context.Context, s database.Session, to *reading, first sequence) error {
	within := fmt.Errorf("the server did not answer within %s", c.plan.Grace)
	ctx, cancel := context.WithTimeoutCause(ctx, c.plan.Grace, within)
	defer cancel()
	defer notice(c.feed, "the server's counts")()
	if first == counterFirst && c.plan.Server.Flush != nil {
		_ = c.plan.Server.Flush(ctx, s) // what the monitor has done so far; the counter says if the session is gone
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
	edge, err := answerOf(c.link, c.link.generator.Cut)
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
	least, err := answerOf(c.link, c.link.generator.Flush)
	if err != nil {
		return err
	}
	if least.Flush > 0 {
		c.toldAll = time.Now()
	}
	to.counter, err = target.ReadCount(ctx, c.plan.Job, s)
	if without, is := errors.AsType[*database.UncountedError](err); is {
		to.uncounted, err = without.Text, nil
	}
	if err != nil {
		return fmt.Errorf("read the server's count of transactions: %w", cmp.Or(context.Cause(ctx), err))
	}
	most, err := answerOf(c.link, func(ctx context.Context) (order.Counted, error) { return c.link.generator.Counted(ctx, least.Flush) })
	if err != nil {
		return err
	}
	to.told, to.telling = least.Told, most.Telling
	to.counter.At = to.counter.At.Add(-most.Age)
	var all, home [2]order.Tally
	for i, of := range []order.Counted{least, most} {
		if len(of.Places) != c.plan.Pool.Size() {
			return c.link.lose(fmt.Errorf("it counts over %d connections of the pool, and not %d", len(of.Places), c.plan.Pool.Size()))
		}
		for place, n := range of.Places {
			all[i].Add(n)
			if c.plan.LeadsHome(place) {
				home[i].Add(n)
			}
		}
	}
	to.all, to.home = tallyOf(all[0], all[1]), tallyOf(home[0], home[1])
	_, err = answerOf(c.link, c.link.generator.Cut) // what has ended by now is of no phase
	return err
}

// readAgain reads the server's counts, again if that fails in a way that may pass, and over
// another session if the one it has is lost: renewed says so. A reading that cannot be had at
// all is said to be missing, and the run goes on: an error is that the run is to end.
func (c *serverCounts) readAgain(ctx context.Context, s *database.Session, to *reading, first sequence) (renewed bool, err error) {
	until := time.Now().Add(c.patience())
	for try := 1; ; try++ {
		if *s == nil {
			renewed = true
			err = c.connectAgain(ctx, s)
		}
		if *s != nil {
			if first == counterFirst { // nothing that ended before counts
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
			if _, err := answerOf(c.link, c.link.generator.Cut); err != nil { // what has ended meanwhile is not of the measured time
				return renewed, err
			}
			c.feed.Message(job.Monitor, "The run goes on without the server's counts: %v", err)
			return renewed, nil
		}
	}
}

// patience is for how long the monitor tries to connect again, and to read counts.
func (c *serverCounts) patience() time.Duration {
	if c.plan.Pacing.Reconnect.Wanted {
		return max(c.plan.Pacing.Reconnect.Limit, target.Patience)
	}
	return target.Patience
}

// connectAgain puts a new session in the place of one that is lost, if it is not the
// first. It tries until its patience ends, or a user has lost a connection for good.
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
			if c.plan.Schema.Claims != nil { // with the one that was lost its claim has gone
				_, _ = c.plan.Schema.Claims.Share(ctx, fresh)
			}
			return nil
		}
		if c.link.death() != nil || time.Since(began) > c.patience() || target.Pause(ctx, c.plan.Pacing.Reconnect.PauseBefore(try, c.plan.ConnectionCount(), chance)) != nil {
			return err
		}
	}
}

// notice says what is being waited for, once that can be noticed and every so often
// after that, until done is called.
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

// tpm returns the server's rate since it was last returned, or nil when the
// server has not answered since then. After an explicit flush a session
// reports nothing for a while, so an interval that contains a flush has no rate.
func (c *serverCounts) tpm() *float64 {
	if c.observed == nil {
		return nil
	}
	now, last := c.observed.Newest(), c.rated
	if now == last {
		return nil
	}
	c.rated = now
	if last == nil || last.Session != now.Session || c.toldAll.After(last.At) && !c.toldAll.After(now.At) {
		return nil
	}
	tpm := float64(now.N-last.N) / now.At.Sub(last.At).Minutes()
	return &tpm
}
