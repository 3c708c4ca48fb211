package coordinator

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/order"
	"sledge/internal/job"
)

// errorOf returns the error that a failure tells of.
func errorOf(f *order.Failure) error {
	var err error = f
	if f.Exit != job.ExitError { // which is that of an error without a code
		err = job.WithExit(f.Exit, err)
	}
	if f.User > 0 {
		err = &feed.Error{Position: f.User, Err: err}
	}
	return err
}

// A generator may be in another process or on another machine: it may die, fall silent, lose or
// repeat a report, or miscount. The coordinator limits the time of each answer, rejects
// totals that differ from the reports, and says in the result what is missing.

const (
	// lostWithin is how long a lost generator may take for an answer: it may still have totals.
	lostWithin = 10 * time.Second

	// silentFor is how many seconds of a phase a generator may miss to report. They are the coordinator's
	// own: if this machine was suspended, none has passed.
	silentFor = 15

	// lateBy is how long reports may be on their way that were sent before a mark.
	lateBy = time.Second
)

// reports is what the generator tells. Its methods may be called from any goroutine.
type reports struct {
	intervals chan *order.Interval
	loggedIn  chan struct{} // closed when the last asynchronous client has logged in
	dead      chan struct{} // closed when the run cannot go on
	ended     chan struct{} // closed when all users have ended, or the generator is lost

	mu   sync.Mutex
	died error // why the run cannot go on
	lost error // why the generator is lost
	over bool  // ended is closed
}

// listen reads reports until there are no more.
func listen(from <-chan order.Report) *reports {
	r := &reports{
		intervals: make(chan *order.Interval), loggedIn: make(chan struct{}), dead: make(chan struct{}), ended: make(chan struct{}),
	}
	go func() {
		in := false
		for report := range from {
			switch {
			case report.Interval != nil:
				select {
				case r.intervals <- report.Interval:
				case <-r.ended:
				}
			case report.LoggedIn && !in:
				in = true
				close(r.loggedIn)
			case report.Failure != nil:
				r.die(errorOf(report.Failure))
			case report.Ended != nil:
				r.end()
			}
		}
		select {
		case <-r.ended:
		default:
			_ = r.lose(errors.New("its reports ended before its users did"))
		}
	}()
	return r
}

// die notes why the run cannot go on. The first reason counts.
func (r *reports) die(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.died == nil {
		r.died = err
		close(r.dead)
	}
}

// end notes that all users have ended.
func (r *reports) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.over = true
		close(r.ended)
	}
}

// lose notes that the generator is lost, and returns why the run ends. The first reason counts.
func (r *reports) lose(why error) error {
	r.mu.Lock()
	first := r.lost == nil
	if first {
		r.lost = why
	}
	r.mu.Unlock()
	if first {
		r.die(fmt.Errorf("the load generator was lost: %w", why))
	}
	r.end()
	return r.death()
}

// death returns why the run cannot go on, if it cannot.
func (r *reports) death() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.died
}

// gone returns why the generator is lost, if it is.
func (r *reports) gone() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}
