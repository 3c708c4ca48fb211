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

// errorOf returns the error that a failure describes.
func errorOf(f *order.Failure) error {
	var err error = f
	if f.Exit != job.ExitError { // ExitError is the code of an error without its own code
		err = job.WithExit(f.Exit, err)
	}
	if f.User > 0 {
		err = &feed.Error{Position: f.User, Err: err}
	}
	return err
}

// A generator may run in another process or on another machine. It may die, stop responding, lose
// or repeat a report, or miscount. The coordinator limits the time of each response, rejects totals
// that differ from the reports, and records in the result what is missing.

const (
	// lostWithin is the time limit for a response of a lost generator, which may still have totals.
	lostWithin = 10 * time.Second

	// silentFor is the number of seconds of a phase without a report after which a generator is
	// lost. The coordinator's own clock counts them, so no second passes while this machine is
	// suspended.
	silentFor = 15

	// lateBy is the time that the coordinator waits for reports that were sent before a mark.
	lateBy = time.Second
)

// reports receives the generator's reports. Its methods may be called from any goroutine.
type reports struct {
	intervals chan *order.Interval
	loggedIn  chan struct{} // closed when the last asynchronous client has logged in
	dead      chan struct{} // closed when the run cannot continue
	ended     chan struct{} // closed when all users have ended, or the generator is lost

	mu   sync.Mutex
	died error // why the run cannot continue
	lost error // why the generator is lost
	over bool  // ended is closed
}

// listen reads reports until the channel is closed.
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

// die records why the run cannot continue. The first reason is kept.
func (r *reports) die(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.died == nil {
		r.died = err
		close(r.dead)
	}
}

// end records that all users have ended.
func (r *reports) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.over = true
		close(r.ended)
	}
}

// lose records that the generator is lost. The first reason is kept.
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

// death returns why the run cannot continue, or nil.
func (r *reports) death() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.died
}

// gone returns why the generator is lost, or nil.
func (r *reports) gone() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}
