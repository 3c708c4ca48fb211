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

// Counting reads the server's own count of transactions every so often. The count
// includes the work of other programs, so the schema need not be there.
type Counting struct {
	Job   plan.Job
	Every time.Duration // between two readings
	For   time.Duration // until the last reading; 0 is until the context ends

	// Probe is whether the workload's own count is read, too, while its schema is there.
	Probe bool

	// AllDatabases is whether those of the whole server are counted, also where TPM counts
	// one. None of them need be the one of the plan.
	AllDatabases bool

	// Say is told in a line where another product answers than was chosen. Each is told
	// of each reading; neither may wait for long. Both are called where Run was.
	Say  func(line string)
	Each func(CounterReading)
}

// CounterReading is how far the counts have moved since the reading before.
type CounterReading struct {
	At      time.Time
	Counted Delta
	Probed  *Delta // of the workload's own count; nil where that was not read
	Err     error  // why there was no reading; the rest is zero
}

// Delta is how far a count has moved, and how much time has really passed meanwhile: none
// where it was read for the first time, or the first time since the server came back.
type Delta struct {
	N  int64
	In time.Duration
}

// Per returns the rate over such a time, which is 0 where no time has passed.
func (d Delta) Per(length time.Duration) float64 {
	if d.In <= 0 {
		return 0
	}
	return float64(d.N) * (float64(length) / float64(d.In))
}

// Run reads until the context ends or the time is over. A first reading that fails is its
// error. Later on, a server that goes away is tried again at every reading: its error is
// told once.
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

// untilNext returns how long to wait for the next reading, if there is one. Readings keep
// to their schedule, however long each takes. The last interval is never
// so short that its rate would say little.
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

// ErrNotCounted says that a database keeps no count of its transactions.
var ErrNotCounted = errors.New("there is no count of transactions on the server's side")

// counterReader is a session that reads the count, while there is one.
type counterReader struct {
	job      plan.Job
	say      func(line string)
	anywhere bool // whether any database will do to ask in
	session  database.Session
	last     target.Count // the reading before, if there was one
	said     bool         // which product answers
	prober   *prober      // nil where the workload's own count is not asked for
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

// until returns how far a count has moved. A server that was restarted
// counts from 0 again.
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

// prober reads the workload's own count, as the owner of the schema, while the schema is there
// and whole. Otherwise the count is not needed.
type prober struct {
	job     plan.Job
	session database.Session // while the schema is there
	last    target.Count
	again   time.Time // when to look next whether the schema is there
	refused bool      // the owner may not connect, and trying again could lock the account
}

// lookAgain is how often a watch of a server looks for the schema.
const lookAgain = time.Minute

// next reads the count, or returns nil.
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

// look looks whether the schema is there, and not in the making.
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

// forget ends the session, so that the next reading looks for the schema again.
func (p *prober) forget() {
	target.CloseQuietly(&p.session)
	p.again, p.refused = time.Time{}, false
}
