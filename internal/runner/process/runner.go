package process

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"sledge/internal/job"
)

const (
	// silence is the longest time in seconds without a message from a worker. A worker sends a
	// message at least once per second.
	silence = 30

	// breaking is the time limit for a worker to abort a job.
	breaking = time.Minute

	// mostSaid limits the kept part of a worker's standard error, in bytes.
	mostSaid = 64 << 10
)

// Runner executes each job in a worker. It implements job.Runner and can execute several jobs at
// the same time.
type Runner struct {
	Program string   // the path of this program
	Args    []string // the arguments with which the program calls Main; nil means Command alone

	silence  int           // in seconds; 0 means the constant
	breaking time.Duration // likewise
}

var _ job.Runner = Runner{}

// Self returns a runner whose workers are this program. It uses the program's file or, if that has
// been replaced, the running program.
func Self() Runner {
	const running = "/proc/self/exe" // Linux only; valid even if the file was removed
	path, err := os.Executable()
	here, _ := os.Stat(path)
	if self, unknown := os.Stat(running); err != nil || unknown == nil && !os.SameFile(here, self) {
		path = running
	}
	return Runner{Program: path}
}

// Do executes a job. If the worker dies, stops responding, or does not end on request, the result
// is that of a killed job, and the error gives the reason.
func (r Runner) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	began := time.Now()
	args := r.Args
	if args == nil {
		args = []string{Command}
	}
	w := &worker{Cmd: exec.Command(r.Program, args...), began: began}
	apart(w.Cmd)
	w.Stderr = &w.said
	in, err := w.StdinPipe()
	if err != nil {
		return w.killed(err)
	}
	w.in = json.NewEncoder(in)
	out, err := w.StdoutPipe()
	if err != nil {
		return w.killed(err)
	}
	if err := w.Start(); err != nil {
		return w.killed(fmt.Errorf("no process could be started for the job: %w", err))
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		w.send(message{Order: &order{Spec: spec, Secrets: spec.Secrets.Reveal(), Names: spec.Names}})
		w.pass(ctx, control.Stop, ended, cmp.Or(r.breaking, breaking))
	}()

	e := w.follow(json.NewDecoder(out), control.Watchers, cmp.Or(r.silence, silence))
	_ = in.Close()
	gone := w.Wait()
	if e == nil {
		return w.killed(w.death(gone))
	}
	return e.Result, e.Failure.err()
}

// worker is a process that executes one job.
type worker struct {
	*exec.Cmd
	began time.Time
	said  tail // end of its standard error

	in *json.Encoder

	mu  sync.Mutex
	why string // why this program killed it; "" if it did not
}

// send sends a message. It ignores an error, because follow notices a lost worker.
func (w *worker) send(m message) {
	_ = w.in.Encode(m)
}

// pass passes stop and abort requests on until the worker has ended.
func (w *worker) pass(ctx context.Context, stop <-chan struct{}, ended <-chan struct{}, breaking time.Duration) {
	abort := ctx.Done()
	var over <-chan time.Time
	for {
		select {
		case <-stop:
			stop = nil
			w.send(message{Request: job.StopRequest})
		case <-abort:
			abort, over = nil, time.After(breaking)
			w.send(message{Request: job.AbortRequest})
		case <-over:
			w.kill(fmt.Sprintf("its process had not aborted it %v after the request, and was killed", breaking))
			return
		case <-ended:
			return
		}
	}
}

// follow passes events on until the worker reports the end of the job. It returns nil if the worker
// does not. Silence counts only while this process runs and waits.
func (w *worker) follow(messages *json.Decoder, watchers []job.Watcher, most int) *end {
	type reading struct {
		message
		err error
	}
	next, heard := make(chan reading), make(chan struct{})
	defer close(heard)
	go func() {
		for {
			var r reading
			r.err = messages.Decode(&r.message)
			select {
			case next <- r:
			case <-heard:
			}
			if r.err != nil || r.End != nil {
				return
			}
		}
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for silent := 0; ; {
		select {
		case m := <-next:
			switch {
			case m.err != nil:
				if !errors.Is(m.err, io.EOF) && !errors.Is(m.err, io.ErrUnexpectedEOF) {
					w.kill(fmt.Sprintf("its process sent a message that cannot be read, and was killed: %v", m.err))
				}
				return nil
			case m.End != nil:
				return m.End
			case m.Event != nil:
				for _, watcher := range watchers {
					watcher.Watch(*m.Event)
				}
			}
			silent = 0
		case <-tick.C:
			if silent++; silent >= most {
				w.kill(fmt.Sprintf("its process did not answer for %d s, and was killed", most))
			}
		}
	}
}

// kill ends the worker at once.
func (w *worker) kill(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.why == "" {
		w.why = why
	}
	_ = w.Process.Kill() // it may have ended
}

// death returns why the worker ended without a result.
func (w *worker) death(gone error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.why != "" {
		return errors.New(w.why)
	}
	how := "without an error"
	if gone != nil {
		how = gone.Error()
	}
	text := w.said.bytes
	if at := bytes.Index(text, []byte("panic: ")); at >= 0 {
		return job.WithExit(job.ExitInternal, &job.Fault{Value: firstLine(text[at+len("panic: "):]), Stack: text})
	}
	if at := bytes.Index(text, []byte("fatal error: ")); at >= 0 {
		return job.WithExit(job.ExitInternal, &job.Fault{Value: firstLine(text[at:]), Stack: text})
	}
	err := fmt.Errorf("its process ended before the job did: %s", how)
	if line := firstLine(text); line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return err
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// killed returns the result of a job whose process reported none.
func (w *worker) killed(err error) (job.Result, error) {
	err = job.WithExit(job.ExitAborted, err)
	return job.Result{Status: job.Killed, Reason: err.Error(), Extent: job.Extent{Started: w.began, Elapsed: time.Since(w.began).Seconds()}}, err
}

// tail keeps the end of the text written to it.
type tail struct{ bytes []byte }

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.bytes = append(t.bytes, b...)
	if more := len(t.bytes) - mostSaid; more > 0 {
		t.bytes = append(t.bytes[:0], t.bytes[more:]...)
	}
	return len(b), nil
}
