package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
)

// Counting reads the server's own count of transactions at regular intervals. The count includes
// the work of other programs, so the schema need not exist.
type Counting struct {
	Job   plan.Job
	Every time.Duration // between two readings
	For   time.Duration // time until the last reading; 0 means until the context ends

	// Probe also reads the workload's own count while the schema exists.
	Probe bool

	// AllDatabases counts the transactions of the whole server, even if TPM counts those of one
	// database. The plan's database need not exist.
	AllDatabases bool

	// Say receives a message if the server is another product than the chosen one. Each receives
	// every reading. Neither may block for long. Run calls both in its own goroutine.
	Say  func(line string)
	Each func(CounterReading)
}

// CounterReading is the change of the counts since the previous reading.
type CounterReading struct {
	At      time.Time
	Counted Delta
	Probed  *Delta // change of the workload's own count; nil if it was not read
	Err     error  // why the reading failed; the other fields are zero
}

// Delta is the change of a count and the elapsed time. The time is 0 at the first reading, and at
// the first reading after the server came back.
type Delta struct {
	N  int64
	In time.Duration
}

// Per returns the change per the given length of time, or 0 if no time has passed.
func (d Delta) Per(length time.Duration) float64 {
	if d.In <= 0 {
		return 0
	}
	return float64(d.N) * (float64(length) / float64(d.In))
}

// Run reads the counts until the context or the time ends. It returns an error if the first reading
// fails. If the server is lost later, Run retries at every reading, and reports each error once.
func (c Counting) Run(ctx context.Context) error {
	if c.Job.Server.Counter == nil {
		return fmt.Errorf("%w: %s", ErrNotCounted, c.Job.Database.Title)
	}
	r := counterReader{job: c.Job, say: c.Say, anywhere: c.AllDatabases}
	if c.AllDatabases && c.Job.Server.CounterOfAll != nil {
		r.job.Server.Counter = c.Job.Server.CounterOfAll
	}
	if c.Probe && c.Job.SQL.Has("probe") {
		r.prober = &prober{job: c.Job}
	}
	defer r.close()
	begun, told := time.Now(), ""
	for first := true; ; first = false {
		now := r.next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case now.Err == nil:
			c.Each(now)
			told = ""
		case first:
			return now.Err
		case now.Err.Error() != told:
			c.Each(now)
			told = now.Err.Error()
		}
		wait, more := c.untilNext(time.Since(begun))
		if !more || target.Pause(ctx, wait) != nil {
			return nil
		}
	}
}

// untilNext returns the wait until the next reading, if there is one. Readings keep to their
// schedule, even if some are slow. The last interval is never too short for a meaningful rate.
func (c Counting) untilNext(passed time.Duration) (wait time.Duration, more bool) {
	next := (passed/c.Every + 1) * c.Every
	if c.For > 0 {
		if passed >= c.For {
			return 0, false
		}
		if c.For-next < c.Every/2 {
			next = c.For
		}
	}
	return next - passed, true
}

// ErrNotCounted means that a database does not count its transactions.
var ErrNotCounted = errors.New("the server does not count its transactions")

// counterReader reads the counts over a session, which it opens again after an error.
type counterReader struct {
	job      plan.Job
	say      func(line string)
	anywhere bool // if the database is missing, the session uses another of the server
	session  database.Session
	last     target.Count // previous reading, if there was one
	said     bool         // the responding product was reported
	prober   *prober      // nil if the workload's own count is not read
}

// next reads the counts.
func (c *counterReader) next(ctx context.Context) CounterReading {
	ctx, cancel := context.WithTimeoutCause(ctx, target.Patience, fmt.Errorf("the server did not answer within %s", target.Patience))
	defer cancel()
	now, err := c.read(ctx)
	if err != nil {
		c.close()
		return CounterReading{At: time.Now(), Err: err}
	}
	reading := CounterReading{At: now.At, Counted: movedSince(c.last, now)}
	c.last = now
	if c.prober != nil {
		reading.Probed = c.prober.next(ctx)
	}
	return reading
}

func (c *counterReader) read(ctx context.Context) (target.Count, error) {
	if c.session == nil {
		var err error
		c.session, err = target.Connect(ctx, c.job, database.Observer)
		if c.anywhere && errors.Is(err, database.ErrMissing) {
			c.session, err = target.Connect(ctx, c.job, database.Admin)
		}
		if err != nil {
			c.session = nil
			return target.Count{}, err
		}
		c.last = target.Count{}
		if err := c.sayProduct(ctx); err != nil {
			return target.Count{}, err
		}
	}
	now, err := target.ReadCount(ctx, c.job, c.session)
	if err != nil {
		return now, fmt.Errorf("read the server's count of transactions: %w", cmp.Or(context.Cause(ctx), err))
	}
	return now, nil
}

// movedSince returns the change of a count. A restarted server counts from 0 again.
func movedSince(c target.Count, now target.Count) Delta {
	if !c.Read || now.N < c.N {
		return Delta{}
	}
	return Delta{N: now.N - c.N, In: now.At.Sub(c.At)}
}

func (c *counterReader) sayProduct(ctx context.Context) error {
	if c.said {
		return nil
	}
	product, err := target.OtherProduct(ctx, c.job, c.session)
	if err != nil {
		return err
	}
	if c.said = true; product != "" {
		c.say(target.AnsweredBy(c.job, product))
	}
	return nil
}

func (c *counterReader) close() {
	target.CloseQuietly(&c.session)
	if c.prober != nil {
		c.prober.forget()
	}
}

// prober reads the workload's own count as the owner of the schema, while the schema exists and is
// complete.
type prober struct {
	job     plan.Job
	session database.Session // nil while there is no schema
	last    target.Count
	again   time.Time // time of the next search for the schema
	refused bool      // the owner may not connect, and trying again could lock the account
}

// lookAgain is the interval between searches for the schema.
const lookAgain = time.Minute

// next reads the count. It returns nil if there is no complete schema or the reading fails.
func (p *prober) next(ctx context.Context) *Delta {
	if p.session == nil && !p.look(ctx) {
		return nil
	}
	now, err := target.ReadProbe(ctx, p.job, p.session)
	if err != nil {
		target.CloseQuietly(&p.session)
		return nil
	}
	d := movedSince(p.last, now)
	p.last = now
	return &d
}

// look reports whether the schema exists and no build is in progress.
func (p *prober) look(ctx context.Context) bool {
	if p.refused || time.Now().Before(p.again) {
		return false
	}
	p.again, p.last = time.Now().Add(lookAgain), target.Count{}
	s, err := target.ConnectSteady(ctx, p.job)
	if err != nil {
		_, p.refused = errors.AsType[*database.PasswordError](err)
		return false
	}
	p.session = s
	if p.job, err = target.RequireSchema(ctx, p.job, s); err != nil {
		target.CloseQuietly(&p.session)
		return false
	}
	return true
}

// forget ends the session, so that the next reading searches for the schema again.
func (p *prober) forget() {
	target.CloseQuietly(&p.session)
	p.again, p.refused = time.Time{}, false
}
