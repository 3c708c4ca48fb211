// Package control starts the job of an order. Any number of front ends can follow the job, stop it,
// abort it and read its outcome. The package prints nothing and knows neither sources of settings
// nor databases.
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

// With holds the optional parts of a start.
type With struct {
	Store *repository.Store // records the job; nil does not record it

	// Begun is called before the job begins, so that the caller can end it from the start.
	Begun func(*Handle)

	// Attending watchers receive each event synchronously and in order. They delay the job, so they
	// must not block, except on purpose: in a test run, for example, users wait until their output
	// is printed. Other watchers call Watch.
	Attending []job.Watcher

	job.Direct

	// Closing returns the last messages of the job, for errors that have not been reported. failure
	// is the error of the job. Closing may read the state of Attending watchers, and must not call
	// the handle.
	Closing func(failure error) []job.Event

	// Remark returns the events that a front end adds right after an event. It delays the job, as
	// Attending does. An error fails the job. It may be nil.
	Remark func(e job.Event) ([]job.Event, error)
}

// Handle is a front end's handle on a running job, to follow it, to end it and to learn how it
// ended. It is safe for concurrent use, at any time.
type Handle struct {
	order    settings.Order
	with     With
	recorder *repository.Recorder // nil if the job is not recorded
	events   events
	stop     chan struct{}
	abort    func()
	worked   chan struct{} // closed when the runner has returned
	over     chan struct{} // closed when the outcome is available
	outcome  Outcome

	telling  sync.Mutex // held while an event is emitted: keeps events in order, and none after the end
	sequence int64      // of the last event
	told     bool       // whether the last event was emitted
	spec     job.Spec   // the recorded spec
	facts    *job.Facts
	failed   error // the error of Remark

	requesting sync.Mutex // guards the stop and abort requests; never held for long
	interrupts int
	fulfilled  map[job.Request]bool
	requests   []job.Event // requests that have not been emitted
}

// Outcome is the end of a job.
type Outcome struct {
	Job     job.Job // the recorded job with its result
	Failure error   // the reason why the job did not succeed, with its exit code; or nil
	Lost    error   // the error of recording the job; or nil
}

// Err returns all errors of the outcome.
func (o Outcome) Err() error { return errors.Join(o.Lost, o.Failure) }

// Start begins a job and returns while it runs. The job ends by itself, by Stop or Abort, or when
// ctx ends; its end is recorded in each case. An error means that the job could not be added to the
// repository and did not begin.
func Start(ctx context.Context, runner job.Runner, order settings.Order, with With) (*Handle, error) {
	h := &Handle{
		order: order, with: with, fulfilled: map[job.Request]bool{},
		stop: make(chan struct{}), worked: make(chan struct{}), over: make(chan struct{}),
		spec: order.Spec,
	}
	h.outcome.Job = job.Job{Spec: order.Spec, Profile: order.Profile, Status: job.Running, Begun: time.Now(), PID: os.Getpid()}
	if order.Spec.Action == job.Run {
		h.outcome.Job.Kinds = order.Plan.Groups().KindNames()
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

// ID returns the job's ID, or "" if it is not recorded.
func (h *Handle) ID() job.ID {
	if h.recorder == nil {
		return ""
	}
	return h.recorder.ID()
}

// Watch yields the events of the job from a sequence number on, 1 being the first, until the job is
// over or ctx ends. A slow watcher delays neither the job nor other watchers. The log is bounded:
// the second value is the number of events before this one that the watcher has missed. The watcher
// must not change an event, because others receive it too.
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

// Wait waits until the job has ended and is recorded, and returns its outcome.
func (h *Handle) Wait() Outcome {
	<-h.over
	return h.outcome
}

// Over returns a channel that is closed when the outcome is available: from then on, Wait returns
// at once.
func (h *Handle) Over() <-chan struct{} { return h.over }

// Tell adds an event of a front end to the job, such as a sample of a transaction counter. It has
// no effect after the end of the job.
func (h *Handle) Tell(e job.Event) { h.tell(e) }

// do runs the job and ensures that it ends, even after a panic or runtime.Goexit.
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

// tellClosing emits pending requests and then the events of Closing. It holds the lock meanwhile,
// because Closing may read the state of attending watchers.
func (h *Handle) tellClosing(failure error) {
	if h.with.Closing == nil {
		return
	}
	h.telling.Lock()
	defer h.telling.Unlock()
	h.emitPending()
	for _, e := range h.with.Closing(failure) {
		h.handOut(e)
	}
}

// work calls the runner.
func (h *Handle) work(ctx context.Context, runner job.Runner) (job.Result, error) {
	defer close(h.worked)
	control := job.Control{Watchers: []job.Watcher{distributor{h}}, Stop: h.stop, Direct: h.with.Direct}
	result, err := runner.Do(ctx, h.order.Spec, control)
	h.telling.Lock()
	defer h.telling.Unlock()
	return result, errors.Join(err, h.failed)
}

// end records the end of the job and sets its outcome.
func (h *Handle) end(ctx context.Context, result job.Result, err error) {
	h.telling.Lock()
	h.emitPending()
	h.told = true
	h.telling.Unlock()
	h.events.end()
	result = result.Settled(err)
	result.Limit()
	result.ClientCeiling = h.reached(ctx, result)
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

// verdict returns the error of a result whose status is not a success, or nil.
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

// distributor is the watcher that the runner gets.
type distributor struct{ *Handle }

// Watch implements job.Watcher.
func (d distributor) Watch(e job.Event) { d.tell(e) }

// tell emits an event: first to the recorder and the attending watchers, then to the log.
func (h *Handle) tell(e job.Event) {
	h.telling.Lock()
	defer h.telling.Unlock()
	if h.told {
		return // an event after the end of the job
	}
	h.emitPending()
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

// handOut numbers an event and emits it. Only the recorder and the attending watchers get the activity of a second.
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
	if e.Activity == nil {
		h.sequence++
		e.Sequence = h.sequence
	}
	if h.recorder != nil {
		h.recorder.Watch(e)
	}
	for _, w := range h.with.Attending {
		w.Watch(e)
	}
	if e.Sequence > 0 {
		h.events.add(e)
	}
}
