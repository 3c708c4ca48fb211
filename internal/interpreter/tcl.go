package interpreter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
)

// Tcl is a Tcl 8.6 interpreter. Only one goroutine may use it, except for Cancel.
type Tcl struct {
	process *process
	remove  func()
}

// StartTcl starts an interpreter. It ends at Close, when a script ends it, or when this program
// ends.
func StartTcl(ctx context.Context, config Config) (*Tcl, error) {
	t, err := startTcl(ctx, config, unpacked)
	if errors.Is(err, fs.ErrPermission) { // no program may run in the user's cache
		t, err = startTcl(ctx, config, unpackedForOnce)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%w: set TMPDIR to a folder from which programs may run", err)
	}
	return t, err
}

func startTcl(ctx context.Context, config Config, unpack func() (program string, remove func(), err error)) (*Tcl, error) {
	program, remove, err := unpack()
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, config, "Tcl", exec.Command(program))
	if err != nil {
		remove()
		return nil, err
	}
	return &Tcl{p, remove}, nil
}

// Eval evaluates a script and returns its result. The error is a *ScriptError, ErrExit, ErrQuit or
// ErrInterrupted, or the reason why the interpreter ended. When ctx ends, Eval stops the script as
// Cancel does.
func (t *Tcl) Eval(ctx context.Context, script string) (string, error) {
	return t.ask(ctx, message{Type: "eval", Script: script})
}

// RunFile evaluates the script in a file, with args as its argv. It returns the same errors as
// Eval. If there is no such error, it returns the first error of an event handler, which Tcl has
// printed and no script can catch.
func (t *Tcl) RunFile(ctx context.Context, path string, args []string) error {
	t.process.event = ""
	_, err := t.ask(ctx, message{Type: "file", Path: path, Args: args})
	if err == nil {
		err = t.process.eventError()
	}
	return err
}

// Diverts reports whether a script has replaced puts or the channel stdout.
func (t *Tcl) Diverts() bool { return t.process.diverts }

// Print prints text with the script's puts, and returns as Eval does. If puts calls a command, the
// command fails, because it would print.
func (t *Tcl) Print(ctx context.Context, text string) error {
	_, err := t.ask(ctx, message{Type: "puts", Result: text})
	return err
}

// Signalled reports whether the last evaluation may have received a signal: the signal killed the
// interpreter, or a program that the script waited for. A terminal sends a signal to all its
// programs, and this program may be the last to receive it.
func (t *Tcl) Signalled() bool { return t.process.signalled }

func (t *Tcl) ask(ctx context.Context, request message) (string, error) {
	m, err := t.process.ask(ctx, request)
	switch {
	case err != nil:
		return "", err
	case m.Failed && m.Stopped:
		return "", ErrInterrupted
	case m.Failed:
		return "", &ScriptError{t.process.suggested(m.Result), m.Info, m.Line}
	}
	return m.Result, nil
}

// Complete reports whether a script is complete: no brace, bracket or quote is open. It returns
// true if the interpreter has ended, because evaluating the script then returns the error.
func (t *Tcl) Complete(script string) bool {
	m, err := t.process.ask(context.Background(), message{Type: "complete", Script: script})
	return err != nil || m.Complete
}

// Cancel stops the current script, even if the script catches errors. Without a current script it
// does nothing. The interpreter keeps its variables.
func (t *Tcl) Cancel() {
	_ = t.process.send(message{Type: "cancel"}) // an ended interpreter runs nothing
}

// Restart restarts the interpreter without its variables and procedures. It must not be in use.
func (t *Tcl) Restart(ctx context.Context) error {
	t.Close()
	fresh, err := StartTcl(ctx, t.process.Config)
	if err != nil {
		return err
	}
	*t = *fresh
	return nil
}

// Close ends the interpreter and waits until it has ended.
func (t *Tcl) Close() error {
	defer t.remove()
	return t.process.Close()
}
