package scripting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"sync"
	"time"

	"sledge/internal/control/tasks"
	"sledge/internal/job"
)

// Report describes an execution and its state.
type Report struct {
	ID       string       `json:"id"`
	Kind     Kind         `json:"kind" enum:"script,console"`
	Script   string       `json:"script,omitempty" doc:"The name of the script."`
	Language Language     `json:"language" enum:"tcl,python,driver"`
	Status   tasks.Status `json:"status" enum:"running,done,failed,stopped"`
	Begun    time.Time    `json:"begun"`
	Ended    *time.Time   `json:"ended,omitempty"`
	Exit     *int         `json:"exit,omitempty" doc:"The exit code; a process that was killed has none."`
	Printed  int64        `json:"printed_bytes" doc:"Bytes of its output; the last MiB is kept."`
}

// Execution is a process that runs a script or a prompt.
type Execution struct {
	output   *output
	process  *os.Process
	pid      int
	terminal *os.File // the terminal of a prompt, or nil
	over     chan struct{}

	mu      sync.Mutex
	gone    bool // whether the process has ended, so that its number may be reused
	report  Report
	asked   int       // number of stop requests
	readers int       // number of followers
	left    time.Time // when the last follower left
}

// straggling is the time for which child processes may still print after the process has ended.
const straggling = 2 * time.Second

// begin starts a process, with a terminal unless that is nil.
func begin(report Report, command *exec.Cmd, terminal *Size) (*Execution, error) {
	report.Status, report.Begun = tasks.Running, time.Now().UTC()
	e := &Execution{output: &output{}, over: make(chan struct{}), report: report, left: time.Now()}
	var printed chan struct{}
	var err error
	if terminal != nil {
		command.Env = append(command.Environ(), "TERM=xterm-256color")
		if e.terminal, err = startAtTerminal(command, *terminal); err == nil {
			printed = make(chan struct{})
			go func() {
				defer close(printed)
				_, _ = io.Copy(&stream{to: e.output}, e.terminal) // ends with an error when no process has the terminal open
			}()
		}
	} else {
		alone(command)
		command.WaitDelay = straggling
		command.Stdout, command.Stderr = &stream{to: e.output}, &stream{to: e.output, isError: true}
		err = command.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the console: %w", err)
	}
	e.process, e.pid = command.Process, command.Process.Pid
	go func() {
		err := command.Wait()
		e.mu.Lock()
		e.gone = true
		e.mu.Unlock()
		if e.terminal != nil {
			select {
			case <-printed:
			case <-time.After(straggling):
			}
			e.terminal.Close()
			<-printed
		}
		e.end(command.ProcessState, err)
	}()
	return e, nil
}

// end records how the process ended.
func (e *Execution) end(state *os.ProcessState, err error) {
	e.mu.Lock()
	now := time.Now().UTC()
	e.report.Ended = &now
	if code := state.ExitCode(); code >= 0 {
		e.report.Exit = &code
	}
	switch {
	case e.asked > 0 && !state.Success() || state.ExitCode() == int(job.ExitStopped):
		e.report.Status = tasks.Stopped
	case err == nil || errors.Is(err, exec.ErrWaitDelay) && state.Success():
		e.report.Status = tasks.Done
	default:
		e.report.Status = tasks.Failed
	}
	e.mu.Unlock()
	e.output.finish()
	close(e.over)
}

// Report returns the current state.
func (e *Execution) Report() Report {
	e.output.mu.Lock()
	printed := e.output.end
	e.output.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.report
	r.Printed = printed
	return r
}

func (e *Execution) kind() Kind { return e.report.Kind } // never changes

// ID implements tasks.Task.
func (e *Execution) ID() string { return e.report.ID } // never changes

// IsOver implements tasks.Task.
func (e *Execution) IsOver() bool {
	select {
	case <-e.over:
		return true
	default:
		return false
	}
}

// Follow yields the output from byte offset after on, until the process has ended or ctx ends.
func (e *Execution) Follow(ctx context.Context, after int64) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		e.follows(1)
		defer e.follows(-1)
		for {
			p, more, err := e.output.next(ctx, after)
			if err != nil || !more || !yield(p) {
				return
			}
			after = p.End
		}
	}
}

func (e *Execution) follows(more int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.readers += more
	e.left = time.Now()
}

// leftFor returns how long a running process has had no follower. It returns false if the process
// has a follower or has ended.
func (e *Execution) leftFor() (since time.Duration, is bool) {
	if e.IsOver() {
		return 0, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return time.Since(e.left), e.readers == 0
}

// Type sends text to the terminal of a prompt.
func (e *Execution) Type(text string) error {
	if err := e.atTerminal(); err != nil {
		return err
	}
	// A process that does not read its input must not block the caller.
	if err := e.terminal.SetWriteDeadline(time.Now().Add(straggling)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return fmt.Errorf("type: %w", err)
	}
	if _, err := io.WriteString(e.terminal, text); err != nil {
		if e.IsOver() {
			return e.atTerminal()
		}
		return job.WithExit(job.ExitExists, errors.New("the console does not read its input at the moment: try again"))
	}
	return nil
}

// Resize sets the size of the terminal of a prompt.
func (e *Execution) Resize(size Size) error {
	if err := e.atTerminal(); err != nil {
		return err
	}
	return resize(e.terminal, size)
}

// atTerminal returns an error unless the process is running at a terminal.
func (e *Execution) atTerminal() error {
	switch {
	case e.terminal == nil:
		return job.WithExit(job.ExitUsage, errors.New("a script has no terminal to type at"))
	case e.IsOver():
		return job.WithExit(job.ExitExists, errors.New("the console has ended: open a new one"))
	}
	return nil
}

// Stop asks the process to end: a script by SIGINT, like Ctrl-C, a prompt by SIGTERM. The first
// call stops a running job, which keeps its result; the second aborts it; the third kills
// everything.
func (e *Execution) Stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gone {
		return
	}
	e.asked++
	if e.asked > 2 || !ask(e.process, e.terminal != nil) {
		killAll(e.process)
	}
}

// kill kills the process and its children.
func (e *Execution) kill() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gone {
		return
	}
	e.asked++
	killAll(e.process)
}
