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
	// aliveEvery is how often a worker says that it lives.
	aliveEvery = time.Second

	// orphaned is how long a worker has to abort its job when the program that started it is gone.
	orphaned = 15 * time.Second
)

// Main is what a worker does: the one job that it is told to do by runner. It returns the code to
// exit with. It takes this process for itself: anything else that writes to standard output, as
// drivers may, writes to standard error from then on, and signals that a terminal sends to all
// of its processes are left to the program that started this one.
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

// serve reads an order, has the runner do it, and tells what happens. An error says that it could
// not tell. Where in ends before the job does, it breaks the job off; exit is called if that
// takes too long.
func serve(ctx context.Context, runner job.Runner, in io.Reader, out io.Writer, exit func(int)) error {
	messages := json.NewDecoder(in)
	var first message
	if err := messages.Decode(&first); err != nil || first.Order == nil {
		return job.WithExit(job.ExitUsage, errors.New("a worker is started by sledge web, and does one job for it: to do a job yourself, use sledge run, build, check or delete"))
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
				_ = tell.send(message{Alive: true}) // the end tells
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

// obey carries out the requests of the program that started the worker, until it tells no more, which it does
// when it is gone.
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

// teller tells the program that started the worker. Its methods may be called from any goroutine.
type teller struct {
	mu      sync.Mutex
	encoder *json.Encoder
	err     error // the first
}

// Watch implements job.Watcher. An event that cannot be encoded, for example because a figure
// is not a number, is replaced by a message.
func (t *teller) Watch(e job.Event) {
	var unfit *json.UnsupportedValueError
	if err := t.send(message{Event: &e}); errors.As(err, &unfit) {
		_ = t.send(message{Event: &job.Event{At: e.At, User: e.User, Message: fmt.Sprintf("something that happened cannot be told: %v", err)}})
	}
}

// send sends a message. Nothing is sent after one that could not be.
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
