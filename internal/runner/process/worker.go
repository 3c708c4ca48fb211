package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"sledge/internal/job"
	"sledge/internal/option"
)

// Command is the argument that makes this program a worker.
const Command = "worker"

const (
	// aliveEvery is the interval of a worker's Alive messages.
	aliveEvery = time.Second

	// orphaned is the time limit for a worker to abort its job after the program that started it
	// has ended.
	orphaned = 15 * time.Second
)

// Main runs a worker: it executes one job with runner, and returns the exit code. It redirects
// other writes to standard output, such as those of drivers, to standard error. It ignores the
// terminal's signals, which the program that started the worker handles.
func Main(runner job.Runner) job.Exit {
	out := os.Stdout
	os.Stdout = os.Stderr
	signal.Ignore(os.Interrupt, syscall.SIGHUP, syscall.SIGPIPE)
	ctx, end := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer end()
	if err := serve(ctx, runner, os.Stdin, out, os.Exit); err != nil {
		fmt.Fprintf(os.Stderr, "sledge: %v\n", err)
		return job.ExitOf(err)
	}
	return job.OK
}

// serve reads an order, executes the job, and sends its events. It returns an error if it gets no
// order or cannot send a message. If in ends before the job does, serve aborts the job. If that
// takes too long, it calls exit.
func serve(ctx context.Context, runner job.Runner, in io.Reader, out io.Writer, exit func(int)) error {
	messages := json.NewDecoder(in)
	var first message
	if err := messages.Decode(&first); err != nil || first.Order == nil {
		return job.WithExit(job.ExitUsage, errors.New("sledge web starts workers for its jobs: to start a job yourself, use sledge run, build, check or delete"))
	}
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	stop := make(chan struct{})
	go obey(messages, stop, abort, func() { exit(int(job.ExitAborted)) })

	tell := &teller{encoder: json.NewEncoder(out)}
	beat := time.NewTicker(aliveEvery)
	defer beat.Stop()
	worked := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		for {
			select {
			case <-beat.C:
				_ = tell.send(message{Alive: true}) // the last send returns the error
			case <-worked:
				return
			}
		}
	})
	spec := first.Order.Spec
	spec.Secrets, spec.Names = option.NewSecrets(first.Order.Secrets), first.Order.Names
	var e end
	err := job.Guarded(func() (err error) {
		e.Result, err = runner.Do(ctx, spec, job.Control{Watchers: []job.Watcher{tell}, Stop: stop})
		return err
	})
	close(worked)
	beating.Wait()
	e.Failure = failureOf(err)
	e = e.encodable()
	return tell.send(message{End: &e})
}

// obey executes the requests of the program that started the worker. When that program has ended,
// it aborts the job.
func obey(messages *json.Decoder, stop chan struct{}, abort, exit func()) {
	stopped := false
	for {
		var m message
		if err := messages.Decode(&m); err != nil {
			abort()
			time.AfterFunc(orphaned, exit)
			return
		}
		switch {
		case m.Request == job.AbortRequest:
			abort()
		case m.Request == job.StopRequest && !stopped:
			stopped = true
			close(stop)
		}
	}
}

// teller sends messages to the program that started the worker. Its methods may be called from any
// goroutine.
type teller struct {
	mu      sync.Mutex
	encoder *json.Encoder
	err     error // the first error
}

// Watch implements job.Watcher. It replaces an event that cannot be encoded, for example because a
// figure is NaN, by a message.
func (t *teller) Watch(e job.Event) {
	var unfit *json.UnsupportedValueError
	if err := t.send(message{Event: &e}); errors.As(err, &unfit) {
		_ = t.send(message{Event: &job.Event{At: e.At, User: e.User, Message: fmt.Sprintf("an event cannot be sent: %v", err)}})
	}
}

// send sends a message. After an error it sends nothing more.
func (t *teller) send(m message) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	err := t.encoder.Encode(m)
	if _, unfit := errors.AsType[*json.UnsupportedValueError](err); err != nil && !unfit {
		t.err = err
	}
	return err
}
