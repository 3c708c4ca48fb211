// Package control starts a job of an order, and lets any number of front ends follow it, stop it,
// abort it and learn how it ended. It prints nothing and knows neither settings' sources nor databases.
package control

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// With is what a job is started with, besides its order. All of it may be left out.
type With struct {
	Store *repository.Store // to keep the job in; nil keeps it nowhere

	// Begun is called before the job does anything, so that it can be ended from the start.
	Begun func(*Handle)

	// Attending watchers receive each event where it happens, in order, and delay the job
	// meanwhile: they must not block, except on purpose, as when virtual users rehearse for a
	// reader. All others call Watch.
	Attending []job.Watcher

	// Closing returns the last messages of the job, for errors that were not reported yet; failure
	// is why it did not succeed. It may read what Attending write, and must not call the
	// handle.
	Closing func(failure error) []job.Event

	// Remark returns what a front end has to add to an event, which is told right after
	// it. It holds up the job, as Attending does. An error fails the job. Optional.
	Remark func(e job.Event) ([]job.Event, error)
}

// Handle is a front end's handle on a running job, to follow it, to end it and to learn how it
// ended. It is safe for concurrent use, at any time.
type Handle struct {
	order    settings.Order
	with     With
	recorder *repository.Recorder // nil where the job is not recorded
	events   events
	stop     chan struct{}
	abort    func()
	worked   chan struct{} // closed when the runner has done what it does
	over     chan struct{} // closed when the outcome is there
	outcome  Outcome

	telling  sync.Mutex // so that events come one after another, and none after the end
	sequence int64      // of the last one
	told     bool       // whether it was the last of all
	spec     job.Spec   // as it is kept
	facts    *job.Facts
	failed   error // of Remark

	wishing    sync.Mutex // held for moments only
	interrupts int
	fulfilled  map[job.Wish]bool
	wishes     []job.Event // not yet reported
}

// Outcome is how a job ended.
type Outcome struct {
	Job     job.Job // as it is kept, with its result
	Failure error   // why it did not succeed, with its exit code; or nil
	Lost    error   // what of it could not be recorded; or nil
}

// Err returns all that went wrong.
func (o Outcome) Err() error { return errors.Join(o.Lost, o.Failure) }

// Start begins a job and returns while it goes on. It ends by itself, by Stop or Abort, or
// when ctx does; whatever it ends by, its end is recorded. An error says that the job
// could not be entered into the repository, and so did not begin.
func Start(ctx context.Context, runner job.Runner, order settings.Order, with With) (*Handle, error) {
	h := &Handle{
		order: order, with: with, fulfilled: map[job.Wish]bool{},
		stop: make(chan struct{}), worked: make(chan struct{}), over: make(chan struct{}),
		spec: order.Spec,
	}
	h.outcome.Job = job.Job{Spec: order.Spec, Profile: order.Profile, Status: job.Running, Begun: time.Now(), PID: os.Getpid()}
	if order.Spec.Action == job.Run {
		h.outcome.Job.Kinds = order.Plan.Workload.KindNames()
	}
	if with.Store != nil {
		var err error
		if h.recorder, err = with.Store.Begin(ctx, order.Spec, h.outcome.Job.Kinds, order.Profile); err != nil {
			return nil, err
		}
		h.outcome.Job.ID = h.recorder.ID()
	}
	ctx, h.abort = context.WithCancel(ctx)
	if with.Begun != nil {
		with.Begun(h)
	}
	go h.do(ctx, runner)
	return h, nil
}

// ID returns the job's ID, or "" where it is not recorded.
func (h *Handle) ID() job.ID {
	if h.recorder == nil {
		return ""
	}
	return h.recorder.ID()
}

// Watch returns what happens in the job from an event on, 1 being the first: what has
// happened already at once, the rest as it does, until the job is over or ctx ends. A
// watcher may take its time: it holds up neither the job nor other watchers. The log that
// it reads is bounded; if it falls behind by more than that, or comes too late, the
// second value says how many events before this one it has missed. It must not change
// what an event points to, which others see too.
func (h *Handle) Watch(ctx context.Context, from int64) iter.Seq2[job.Event, int64] {
	return func(yield func(job.Event, int64) bool) {
		next := max(from, 1)
		for {
			e, missed, more := h.events.read(ctx, next)
			if !more || !yield(e, missed) {
				return
			}
			next = e.Sequence + 1
		}
	}
}

// Wait returns how the job ended, when it has and that was recorded.
func (h *Handle) Wait() Outcome {
	<-h.over
	return h.outcome
}

// Over is closed when Wait need not wait.
func (h *Handle) Over() <-chan struct{} { return h.over }

// Tell adds an event of a front end's own to those of the job, such as a sample of a
// transaction counter, unless the job is over.
func (h *Handle) Tell(e job.Event) { h.tell(e) }

// do runs the job and ensures that it ends, even after a panic, or in a goroutine that a test
// ends.
func (h *Handle) do(ctx context.Context, runner job.Runner) {
	var result job.Result
	var err error
	whole := false
	defer close(h.over)
	defer h.abort()
	defer func() {
		if !whole {
			fault := &job.Fault{Value: recover(), Stack: debug.Stack()}
			err = job.WithExit(job.ExitInternal, errors.Join(fault, err))
			result.Status, result.Reason = job.Failed, "a bug in Sledge ended the job"
			if result.Started.IsZero() {
				result.Started = h.outcome.Job.Begun
			}
		}
		h.end(ctx, result, err)
	}()
	result, err = h.work(ctx, runner)
	if explained := h.order.Explain(err); explained != nil {
		if result.Reason == err.Error() {
			result.Reason = explained.Error()
		}
		err = explained
	}
	h.tellClosing(err)
	whole = true
}

// tellClosing hands out the closing events. Wishes that were fulfilled are told before, and
// nothing is told meanwhile: who attends may be who closes.
func (h *Handle) tellClosing(failure error) {
	if h.with.Closing == nil {
		return
	}
	h.telling.Lock()
	defer h.telling.Unlock()
	h.handOutWishes()
	for _, e := range h.with.Closing(failure) {
		h.handOut(e)
	}
}

// work has the runner do the job.
func (h *Handle) work(ctx context.Context, runner job.Runner) (job.Result, error) {
	defer close(h.worked)
	control := job.Control{Watchers: []job.Watcher{distributor{h}}, Stop: h.stop}
	result, err := runner.Do(ctx, h.order.Spec, control)
	h.telling.Lock()
	defer h.telling.Unlock()
	return result, errors.Join(err, h.failed)
}

// end records how the job ended, and gives its verdict.
func (h *Handle) end(ctx context.Context, result job.Result, err error) {
	h.telling.Lock()
	h.handOutWishes()
	h.told = true
	h.telling.Unlock()
	h.events.end()
	result = result.Settled(err)
	result.Limit()
	o := Outcome{Job: h.outcome.Job, Failure: err}
	if h.recorder != nil {
		o.Lost = h.recorder.End(ctx, result, err)
		result = repository.NotRecorded(result, o.Lost)
	}
	if err == nil {
		o.Failure = verdict(result)
	}
	o.Job.Spec, o.Job.Facts = h.spec, h.facts
	o.Job.Result, o.Job.Status, o.Job.Reason, o.Job.Ended = result, result.Status, result.Reason, time.Now()
	h.outcome = o
}

// verdict returns the error of a result whose status alone says what is wrong.
func verdict(r job.Result) error {
	switch r.Status {
	case job.Invalid:
		return job.WithExit(job.ExitInvalid, reason(r))
	case job.Missed:
		return job.WithExit(job.ExitMissed, reason(r))
	case job.Partial:
		return job.WithExit(job.ExitStopped, reason(r))
	case job.Failed, job.Killed:
		return reason(r)
	}
	return nil
}

func reason(r job.Result) error {
	if r.Reason == "" {
		return fmt.Errorf("the job ended as %s", r.Status)
	}
	return errors.New(r.Reason)
}

// distributor is what the runner tells of each event.
type distributor struct{ *Handle }

// Watch implements job.Watcher.
func (d distributor) Watch(e job.Event) { d.tell(e) }

// tell hands an event out: first to those who must not miss any, then into the log.
func (h *Handle) tell(e job.Event) {
	h.telling.Lock()
	defer h.telling.Unlock()
	if h.told {
		return // a runner has told it after its end
	}
	h.handOutWishes()
	h.handOut(e)
	if h.with.Remark == nil {
		return
	}
	remarks, err := h.with.Remark(e)
	h.failed = errors.Join(h.failed, err)
	for _, remark := range remarks {
		h.handOut(remark)
	}
}

// handOut gives an event its number and hands it out.
func (h *Handle) handOut(e job.Event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	e.Limit()
	if e.Facts != nil {
		h.facts = e.Facts
	}
	if e.Settled != nil {
		h.spec = h.spec.Settle(e.Settled)
	}
	h.sequence++
	e.Sequence = h.sequence
	if h.recorder != nil {
		h.recorder.Watch(e)
	}
	for _, w := range h.with.Attending {
		w.Watch(e)
	}
	h.events.add(e)
}
