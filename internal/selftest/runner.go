package selftest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"sledge/internal/suite"
)

// runner runs the steps of suites one after another, each in its own goroutine, so that an error, a
// panic or a silent server ends only its own step.
type runner struct {
	ctx   context.Context // context of the whole test: no step begins after its end
	limit time.Duration   // time limit of a step, without its parts
	grace time.Duration   // how long a step may take to end after its limit or a stop
	quit  <-chan struct{} // closed when the user aborts
	began func(name string) (number int)
	ended func(number int, s Step)
}

// step is one step. It implements suite.T.
type step struct {
	*runner
	name   string
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	outcome  Outcome // Failed or Skipped as soon as that is known
	said     []string
	notes    []string
	cleanups []func()
	parts    int       // running
	held     bool      // whether it had parts
	since    time.Time // beginning of the time that spent does not include yet
	spent    time.Duration
	left     bool // abandoned
}

var _ suite.T = (*step)(nil)

// errLimit is the reason for stopping a step that takes too long.
var errLimit = errors.New("the step took longer than its limit")

// run runs a step and reports whether it succeeded.
func (r *runner) run(ctx context.Context, name string, do func(t suite.T)) bool {
	number := r.began(name)
	if r.ctx.Err() != nil {
		r.ended(number, Step{Name: name, Outcome: NotRun, Says: []string{"the test was stopped before it began"}})
		return false
	}
	s := &step{runner: r, name: name, since: time.Now()}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	defer s.cancel(nil)
	done := make(chan struct{})
	go s.work(do, done)
	s.await(done)
	result := s.result()
	r.ended(number, result)
	return result.Outcome == Passed || result.Outcome == Skipped
}

// work does the step and its clean-up.
func (s *step) work(do func(t suite.T), done chan<- struct{}) {
	defer close(done)
	defer s.cleanUp()
	defer s.cancel(nil)
	s.guard(func() { do(s) })
}

// guard runs f in a new goroutine, which f may end with runtime.Goexit, and turns a panic into an
// error.
func (s *step) guard(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer func() {
			if fault := recover(); fault != nil {
				s.Errorf("a bug in Sledge: %v\n%s", fault, debug.Stack())
			}
		}()
		f()
	}()
	<-over
}

// cleanUp runs the registered functions, the last one first.
func (s *step) cleanUp() {
	for {
		s.mu.Lock()
		n := len(s.cleanups)
		if n == 0 {
			s.mu.Unlock()
			return
		}
		f := s.cleanups[n-1]
		s.cleanups = s.cleanups[:n-1]
		s.mu.Unlock()
		s.guard(f)
	}
}

// await waits until the step is over. It stops a step that exceeds its limit, and abandons it if it
// does not end after that.
func (s *step) await(done <-chan struct{}) {
	const look = 50 * time.Millisecond
	var stopped time.Time
	for {
		select {
		case <-done:
			return
		case <-s.quit:
			s.leave("the test did not wait for its end")
			return
		case <-time.After(look):
		}
		s.mu.Lock()
		spent, busy := s.spent+time.Since(s.since), s.parts > 0
		s.mu.Unlock()
		switch {
		case busy:
			stopped = time.Time{}
		case spent > s.limit && s.ctx.Err() == nil:
			s.Errorf("%v: %v, and was stopped", errLimit, s.limit)
			s.cancel(errLimit)
		case stopped.IsZero() && (s.ctx.Err() != nil || s.runner.ctx.Err() != nil):
			stopped = time.Now()
		case !stopped.IsZero() && time.Since(stopped) > s.grace:
			s.leave(fmt.Sprintf("it did not end within %v of being stopped", s.grace))
			return
		}
	}
}

// leave abandons the step: its later messages are ignored.
func (s *step) leave(why string) {
	s.Errorf("%s, and was abandoned: its work may still continue", why)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
}

func (s *step) result() Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Step{holds: s.held, Name: s.name, Outcome: s.outcome, Seconds: (s.spent + time.Since(s.since)).Seconds(), Says: s.said, Notes: s.notes}
	if r.Outcome == "" {
		r.Outcome = Passed
	}
	if r.Outcome == Failed && s.runner.ctx.Err() != nil {
		r.Outcome = Stopped
	}
	return r
}

// Run implements suite.T.
func (s *step) Run(name string, do func(t suite.T)) bool {
	s.mu.Lock()
	s.parts++
	s.held = true
	s.spent += time.Since(s.since)
	s.mu.Unlock()
	ok := s.run(s.ctx, s.name+" / "+name, do)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts--
	s.since = time.Now()
	if !ok {
		s.outcome = Failed
	}
	return ok
}

// Context implements suite.T.
func (s *step) Context() context.Context { return s.ctx }

// Helper implements suite.T.
func (s *step) Helper() {}

// Cleanup implements suite.T.
func (s *step) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, f)
}

// Errorf implements suite.T.
func (s *step) Errorf(format string, args ...any) { s.say(fmt.Sprintf(format, args...)) }

// Error implements suite.T.
func (s *step) Error(args ...any) { s.say(strings.TrimSuffix(fmt.Sprintln(args...), "\n")) }

// Fatalf implements suite.T.
func (s *step) Fatalf(format string, args ...any) {
	s.Errorf(format, args...)
	runtime.Goexit()
}

// Fatal implements suite.T.
func (s *step) Fatal(args ...any) {
	s.Error(args...)
	runtime.Goexit()
}

func (s *step) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return
	}
	s.outcome = Failed
	s.said = keep(s.said, text)
}

// Skipf implements suite.T.
func (s *step) Skipf(format string, args ...any) {
	s.mu.Lock()
	if s.outcome == "" && !s.left {
		s.outcome = Skipped
		s.said = keep(s.said, fmt.Sprintf(format, args...))
	}
	s.mu.Unlock()
	runtime.Goexit()
}

// Logf implements suite.T.
func (s *step) Logf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left {
		s.notes = keep(s.notes, fmt.Sprintf(format, args...))
	}
}

// keep adds a text to a list for people, which limits the number and the length of texts.
func keep(list []string, text string) []string {
	const most, longest = 20, 4000
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + " ..."
	}
	switch {
	case len(list) < most:
		return append(list, text)
	case len(list) == most:
		return append(list, "further messages are left out")
	}
	return list
}
