package hammerdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/cli/program"
	"sledge/internal/control"
	"sledge/internal/hammerdb/console"
	"sledge/internal/interpreter"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// Session is a running console: at a prompt, with a script, or with commands from a pipe.
type Session struct {
	*program.Program
	consoleUse
	Console *console.Console
	config  interpreter.Config // of its interpreters
	kept    string             // the file of its settings; "" if they are not saved

	failed error // the last error that a command returned to a script

	mu     sync.Mutex
	busy   func(interrupts int) // handles Ctrl-C during an evaluation; nil between evaluations
	told   int                  // number of Ctrl-C during this evaluation
	stop   func()               // ends the session
	ending os.Signal            // the signal that ends the session, or nil
	asked  int                  // number of signals that end the session
}

// Banner prints the console's version and job repository, as HammerDB does. The repository is usual
// unless the settings name another one.
func (s *Session) Banner(usual string) {
	help := "help"
	if s.language == inPython {
		help = "help()"
	}
	fmt.Fprintf(s.Stdout, "%s\nType %q for a list of commands\n", consoleVersion(s.Program), help)
	named, kept := s.Console.Repository()
	repository := cmp.Or(named, usual)
	if !kept {
		return
	}
	if repository == ":memory:" {
		fmt.Fprintln(s.Stdout, "Initialized new Jobs in-memory database")
		return
	}
	if info, err := os.Stat(repository); err == nil {
		fmt.Fprintf(s.Stdout, "Initialized Jobs on-disk database %s using existing tables (%s bytes)\n", repository, humanize.Comma(info.Size()))
		return
	}
	// A repository that cannot be created is an error only when a job is saved in it, because
	// the settings may still name another.
	if store, err := s.OpenRepository(repository); err == nil {
		store.Close()
		fmt.Fprintf(s.Stdout, "Initialized new Jobs on-disk database %s\n", repository)
	}
}

// handle runs a command for an interpreter.
func (s *Session) handle(ctx context.Context, call interpreter.Call) (string, error) {
	result, err := s.Console.Call(ctx, console.Call(call))
	if s.isEnding() {
		s.stop()
		return "", interpreter.ErrInterrupted
	}
	switch {
	case errors.Is(err, console.ErrQuit):
		return "", interpreter.ErrQuit
	case errors.Is(err, console.ErrInterrupted):
		return "", interpreter.ErrInterrupted
	case err != nil:
		s.failed = err
	}
	return result, err
}

// interrupted handles a signal. Ctrl-C stops the current command but not the program. Other signals
// stop the current command in the same way and then end the program.
func (s *Session) interrupted(signal os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case signal != os.Interrupt:
		s.end(signal)
	case s.busy == nil:
		if !editsLines(s.Program) {
			s.Exit(int(job.ExitStopped))
		}
	case s.atPythonsPrompt():
		// Python gets the signal too, and handles it.
	case s.Console.Interrupt():
		// A command may be blocked in a way that Ctrl-C cannot interrupt, for example by a full
		// pipe.
		if s.told++; s.told > control.Patience && !editsLines(s.Program) {
			s.Exit(int(job.ExitStopped))
		}
	default:
		s.told++
		s.busy(s.told)
	}
}

// end ends the session because of a signal. The first signal stops the current command as Ctrl-C
// does, so that a run keeps its result. The second aborts it, the third ends the process.
func (s *Session) end(signal os.Signal) {
	s.asked++
	switch {
	case s.busy == nil || s.asked >= control.Patience:
		s.Exit(int(job.ExitStopped))
	case s.asked > 1 || !s.Console.Interrupt():
		s.stop()
	}
	if s.ending == nil {
		s.ending = signal
	}
}

// isEnding reports whether a signal is ending the session.
func (s *Session) isEnding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending != nil
}

// setBusy sets the function that handles Ctrl-C while no command of the console runs; nil removes
// it. The function gets the number of the Ctrl-C, from 1.
func (s *Session) setBusy(busy func(int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.told = busy, 0
}

// outcome turns the end of a script into the error with which the program ends, or nil.
func (s *Session) outcome(err error) error {
	var exit interpreter.ErrExit
	var script *interpreter.ScriptError
	if errors.Is(err, interpreter.ErrQuit) {
		fmt.Fprintln(s.Stdout, "Shutting down Sledge CLI")
	}
	switch {
	case errors.Is(err, interpreter.ErrInterrupted):
		return job.WithExit(job.ExitStopped, errors.New("stopped "+s.why()))
	case errors.As(err, &exit) && exit.Code != 0:
		return job.WithExit(job.Exit(exit.Code), fmt.Errorf("the script ended by exit %d", exit.Code))
	case errors.As(err, &exit):
	case errors.As(err, &script): // also an error before quit
		if script.Info != "" {
			fmt.Fprintln(s.Stderr, script.Info)
		}
		if s.failed != nil && s.failed.Error() == script.Message {
			return s.failed
		}
		return script
	case err != nil && !errors.Is(err, interpreter.ErrQuit):
		return err
	}
	if s.script == "" && s.StdinIsTerminal {
		return nil // the user has seen the errors
	}
	return s.Console.Failure()
}

// why returns a phrase that says what stopped a script.
func (s *Session) why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.ending {
	case nil:
		return "by Ctrl-C"
	case program.UnreadOutput{}:
		return "because " + s.ending.String()
	}
	return "by a signal: " + s.ending.String()
}

// stopped returns the outcome of a script after a stop request. A script that ended by itself at
// the same time keeps its outcome. Any other error counts as the interruption: a program that the
// script started may have received Ctrl-C, too, or the interpreter did not respond and was killed.
func stopped(err error) error {
	if errors.Is(err, interpreter.ErrQuit) || errors.As(err, new(interpreter.ErrExit)) {
		return err
	}
	return interpreter.ErrInterrupted
}

// signalDelay is the longest time between the death of another process by a signal and the arrival
// of the same signal here.
const signalDelay = time.Second

// awaitSignal waits up to signalDelay until ctx is done. A process that just died may have received
// a signal that also ends ctx.
func awaitSignal(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(signalDelay):
	}
}

// tcl runs a script in Tcl, or the prompt.
func (s *Session) tcl(ctx context.Context) error {
	tcl, err := interpreter.StartTcl(ctx, s.config)
	if err != nil {
		return err
	}
	defer tcl.Close()
	switch {
	case s.script == "" && editsLines(s.Program):
		return s.outcome(s.prompts(ctx, tcl))
	case s.script == "":
		return s.outcome(s.reads(ctx, tcl))
	}
	return s.outcome(s.evaluate(ctx, tcl, func(ctx context.Context) error {
		return tcl.RunFile(ctx, s.script, s.args)
	}))
}

// evaluate calls what, and cancels it at Ctrl-C. That kills an interpreter that does not respond
// because it waits for a program or for input. At the prompt, only the second Ctrl-C cancels,
// because the interpreter's variables are lost.
func (s *Session) evaluate(ctx context.Context, tcl *interpreter.Tcl, what func(context.Context) error) error {
	atPrompt := s.script == "" && editsLines(s.Program)
	evaluating, cancel := context.WithCancel(ctx)
	defer cancel()
	s.setBusy(func(count int) {
		if count == 1 && atPrompt {
			tcl.Cancel()
			return
		}
		cancel()
	})
	defer s.setBusy(nil)
	err := what(evaluating)
	if tcl.Signalled() && !atPrompt {
		awaitSignal(evaluating)
	}
	if ctx.Err() != nil || evaluating.Err() != nil && !atPrompt {
		return stopped(err)
	}
	return err
}

// python runs a script in Python, or Python's own prompt.
func (s *Session) python(ctx context.Context) error {
	err := s.runPython(ctx)
	if errors.Is(err, interpreter.ErrNoPython) {
		return job.WithExit(job.ExitMissing, fmt.Errorf("%w: install it, or name one in %s", err, settings.EnvPython))
	}
	return s.outcome(err)
}

// atPythonsPrompt reports whether the console shows Python's prompt at a terminal.
func (s *Session) atPythonsPrompt() bool {
	return s.language == inPython && s.script == "" && s.StdinIsTerminal
}

func (s *Session) runPython(ctx context.Context) error {
	name := s.Environment(settings.EnvPython)
	if name == "" {
		name = "python3"
	}
	python, err := interpreter.NewPython(s.config, name)
	if err != nil {
		return err
	}
	s.setBusy(func(count int) {
		python.Cancel()
		if count >= control.Patience {
			s.stop()
		}
	})
	defer s.setBusy(nil)
	switch {
	case s.atPythonsPrompt():
		err = python.Prompt(ctx, s.prompt)
	case s.script == "":
		err = python.RunFile(ctx, "-", nil)
	default:
		err = python.RunFile(ctx, s.script, s.args)
	}
	if errors.As(err, new(*interpreter.DeathError)) {
		awaitSignal(ctx)
	}
	if ctx.Err() != nil {
		return stopped(err)
	}
	return err
}
