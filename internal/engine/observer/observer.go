// Package observer observes what happens beside a run: the server's count and its report on itself,
// disturbances, and the acknowledged commits. It does not know virtual users or their connections.
package observer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// Observer observes one thing beside a run, over its own session. Its methods are called one after
// another in the observer's own goroutine, so it never delays the run. Each call has a context with
// a time limit. An error ends the observer and is recorded in the result; it never ends the run.
type Observer interface {
	// Name returns the name of the observed value, as the beginning of a sentence: "The server's rate".
	Name() string

	// Begin opens the resources of the observer before users work.
	Begin(ctx context.Context, axis Axis) error

	// Reach is called at each moment of the run.
	Reach(ctx context.Context, m Moment) error

	// End closes those resources after users have ended.
	End(ctx context.Context) error

	// Report adds the findings to the result. It is called after End, in the goroutine of the run.
	Report(result *job.Result)
}

// Sampler is an observer that reads something once a second from Begin to End, shortly before the
// end of a second of the run, so that the samples of a second belong to it. If Sample fails, it is called
// again in the next second; after ErrOver it is not called again.
type Sampler interface {
	Observer
	Sample(ctx context.Context) error
}

// Patient is an observer whose End may take longer than Patience.
type Patient interface {
	EndsWithin() time.Duration // 0 means no limit
}

// ErrOver is the error of a Sampler that has nothing more to read.
var ErrOver = errors.New("nothing to read")

// Patience is the time limit of a call of an observer.
const Patience = 10 * time.Second

// abandonedAfter is the time after the end of its context at which a call is abandoned.
const abandonedAfter = 5 * time.Second

// Moment is a moment of a run.
type Moment int

// The moments of a run. Either TimeUp or EndedEarly occurs, or neither if nothing was measured.
const (
	RampUpOver Moment = iota // the measured time begins
	TimeUp                   // the measured time is over
	EndedEarly               // the measured time is over, and was shorter than it should have been
)

// Axis records values over the time of a run. It may be used from any goroutine.
type Axis struct {
	send func(job.Event)
}

// NewAxis returns an axis that sends values as events.
func NewAxis(send func(job.Event)) Axis { return Axis{send} }

// Append adds values to series at the current time.
func (a Axis) Append(samples ...job.Sample) { a.AppendAt(time.Time{}, samples...) }

// AppendAt adds values to series at a time; the zero time is the current time.
func (a Axis) AppendAt(at time.Time, samples ...job.Sample) {
	if len(samples) > 0 {
		a.send(job.Event{At: at, Samples: samples})
	}
}

// Group holds the observers of a run. Its methods must be called from one goroutine.
type Group struct {
	say     func(line string)
	members []*member
	cancel  func()
	ended   bool
}

// member is an observer and its goroutine.
type member struct {
	Observer
	say     func(line string)
	moments chan Moment    // closed when users have ended
	phases  chan time.Time // beginnings of phases
	begun   chan struct{}  // closed when Begin has returned
	done    chan struct{}  // closed when the goroutine has ended
	err     error          // error that ended it early; valid after done is closed
}

// Begin starts all observers concurrently. It returns when each has begun or its time limit has
// passed. It reports failures through say.
func Begin(ctx context.Context, axis Axis, say func(line string), observers ...Observer) *Group {
	ctx, cancel := context.WithCancel(ctx)
	g := &Group{say: say, cancel: cancel}
	for _, o := range observers {
		const most = 8 // moments of a run
		m := &member{
			Observer: o, say: say, moments: make(chan Moment, most), phases: make(chan time.Time, most),
			begun: make(chan struct{}), done: make(chan struct{}),
		}
		g.members = append(g.members, m)
		go m.observe(ctx, axis)
	}
	limit := time.NewTimer(Patience + abandonedAfter)
	defer limit.Stop()
	for _, m := range g.members {
		select {
		case <-m.begun:
		case <-limit.C:
			return g
		}
	}
	return g
}

// Align makes samplers sample shortly before the ends of seconds of a phase, given its beginning. It
// does not wait for them. A nil group has no samplers.
func (g *Group) Align(began time.Time) {
	if g == nil {
		return
	}
	for _, m := range g.members {
		m.phases <- began
	}
}

// early is the time from a sample to the end of the second. It leaves a distant server time to
// answer.
const early = 50 * time.Millisecond

// untilNext returns the time until the next sample, for seconds that count from a given time.
func untilNext(began time.Time) time.Duration {
	return time.Second - (time.Since(began)+early)%time.Second
}

// Reach notifies all observers that the run has reached a moment. It does not wait for them.
func (g *Group) Reach(m Moment) {
	for _, one := range g.members {
		one.moments <- m
	}
}

// End ends all observers concurrently and adds their findings to the result, which may be nil. It
// abandons an observer that exceeds its time limit. A second call does nothing.
func (g *Group) End(result *job.Result) {
	if g == nil || g.ended {
		return
	}
	g.ended = true
	for _, m := range g.members {
		close(m.moments)
	}
	for _, m := range g.members {
		err := m.wait()
		if result == nil {
			continue
		}
		if err != nil {
			g.say(fmt.Sprintf("%s: %v", m.Name(), err))
			result.Unobserved = append(result.Unobserved, job.Unobserved{Observer: m.Name(), Error: err.Error()})
		} else {
			m.Report(result)
		}
	}
	g.cancel()
}

// wait waits until the observer has ended, and returns the error that ended it early.
func (m *member) wait() error {
	limit := m.endsWithin()
	if limit == 0 {
		<-m.done
		return m.err
	}
	patience := time.NewTimer(limit + Patience + 2*abandonedAfter) // includes the call before End
	defer patience.Stop()
	select {
	case <-m.done:
		return m.err
	case <-patience.C:
		return fmt.Errorf("it did not end within %s", limit)
	}
}

func (m *member) endsWithin() time.Duration {
	if p, is := m.Observer.(Patient); is {
		return p.EndsWithin()
	}
	return Patience
}

// observe is the goroutine of an observer.
func (m *member) observe(ctx context.Context, axis Axis) {
	defer close(m.done)
	m.err = m.call(ctx, Patience, func(ctx context.Context) error { return m.Begin(ctx, axis) })
	close(m.begun)
	sampler, samples := m.Observer.(Sampler)
	began := time.Now()
	next := time.NewTimer(time.Hour)
	defer next.Stop()
	sampling := sampling{name: m.Name(), say: m.say}
	for sample := samples; ; {
		if sample && samples && m.err == nil {
			err := m.call(ctx, Patience, sampler.Sample)
			samples = ctx.Err() != nil || sampling.goesOn(err)
		}
		if samples && m.err == nil {
			next.Reset(untilNext(began))
		} else {
			next.Stop()
		}
		select {
		case moment, more := <-m.moments:
			sample = false
			if !more {
				if err := m.call(ctx, m.endsWithin(), m.End); m.err == nil {
					m.err = err
				}
				return
			}
			if m.err == nil {
				m.err = m.call(ctx, Patience, func(ctx context.Context) error { return m.Reach(ctx, moment) })
			}
		case began = <-m.phases:
			sample = false
		case <-next.C:
			sample = true
		}
	}
}

// call calls the observer with a time limit; 0 means none.
func (m *member) call(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	if limit > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
		defer cancel()
	}
	err := job.Guarded(func() error { return f(ctx) })
	if err != nil && errors.Is(err, context.DeadlineExceeded) && context.Cause(ctx) != nil {
		return context.Cause(ctx)
	}
	return err
}

// sampling reports when samples begin to fail and when they succeed again, once each.
type sampling struct {
	name string
	say  func(line string)
	lost bool
}

// goesOn handles the result of a sample, and reports whether to take more samples.
func (s *sampling) goesOn(err error) bool {
	switch {
	case errors.Is(err, ErrOver):
		return false
	case err == nil:
		if s.lost {
			s.say(s.name + " is read again")
		}
	case !s.lost:
		s.say(fmt.Sprintf("%s cannot be read, and is tried again every second: %v", s.name, err))
	}
	s.lost = err != nil
	return true
}

// Base implements an observer that does nothing, for embedding.
type Base struct{}

// Begin implements Observer.
func (Base) Begin(context.Context, Axis) error { return nil }

// Reach implements Observer.
func (Base) Reach(context.Context, Moment) error { return nil }

// End implements Observer.
func (Base) End(context.Context) error { return nil }

// Report implements Observer.
func (Base) Report(*job.Result) {}

// Connect opens a session for an observer.
type Connect func(ctx context.Context) (database.Session, error)

// reopened is a session that is opened when it is used, and again after an error.
type reopened struct {
	open database.Session // nil before the first use, and after an error
	lost int              // number of lost sessions so far
}

// use calls a function with the session.
func (r *reopened) use(ctx context.Context, connect Connect, do func(database.Session) error) (err error) {
	if r.open == nil {
		if r.open, err = connect(ctx); err != nil {
			r.open = nil
			return err
		}
	}
	if err = do(r.open); err != nil {
		closeQuietly(&r.open)
		r.lost++
	}
	return err
}

// closeQuietly closes a session, if there is one, and ignores errors.
func closeQuietly(s *database.Session) {
	if *s != nil {
		_ = (*s).Close()
		*s = nil
	}
}
