package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/peterh/liner"
	"golang.org/x/term"

	"sledge/internal/interpreter"
	"sledge/internal/report"
)

// editsLines reports whether somebody sits at a terminal.
func (p *Program) editsLines() bool {
	in, out := file(p.Stdin), file(p.Stdout)
	return p.StdinIsTerminal && in == os.Stdin && out == os.Stdout && term.IsTerminal(int(out.Fd()))
}

// heightFor returns what tells how many lines the terminal of a prompt has, or nil
// where no prompt is shown at one: what a script prints is not cut short.
func (p *Program) heightFor(use consoleUse) func() int {
	if use.script != "" || !p.editsLines() {
		return nil
	}
	const usual = 24
	return func() int {
		_, height, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil || height < 1 {
			return usual
		}
		return height
	}
}

// showsResults reports whether what a command returns is shown: at a prompt, and by hammerdbcli
// for what is piped into it in Tcl.
func (p *Program) showsResults(use consoleUse) bool {
	switch {
	case use.script != "":
		return false
	case use.language == inPython:
		return p.StdinIsTerminal
	}
	return p.editsLines() || use.prompt == hammerdbPrompt
}

// reads evaluates what comes from a pipe until it ends, and goes on after an error
// as tclsh does. It returns the first, also after quit. Results are not shown, but
// by hammerdbcli: what is piped into that looks for the job's id that vurun returns.
func (s *session) reads(ctx context.Context, tcl *interpreter.Tcl) error {
	var first error
	for {
		script, err := readScript(tcl, func(bool) (string, error) {
			line, err := readLine(s.Stdin)
			if errors.Is(err, io.EOF) && line != "" {
				err = nil // the last line has no end
			}
			return line, err
		})
		if errors.Is(err, io.EOF) {
			return first
		}
		if err != nil {
			return fmt.Errorf("read a command: %w", err)
		}
		var result string
		err = s.evaluate(ctx, tcl, func(ctx context.Context) (err error) {
			result, err = tcl.Eval(ctx, script)
			return err
		})
		var failed *interpreter.ScriptError
		switch {
		case errors.As(err, &failed):
			fmt.Fprintln(s.Stderr, report.OneLine(err))
			failed.Info = "" // nobody needs it twice
			first = cmp.Or(first, err)
		case errors.Is(err, interpreter.ErrQuit):
			return errors.Join(err, first)
		case err != nil:
			return err
		case result != "" && s.prompt == hammerdbPrompt:
			fmt.Fprintln(s.Stdout, result)
		}
	}
}

// readScript reads lines until they are a whole script.
func readScript(tcl *interpreter.Tcl, read func(more bool) (string, error)) (string, error) {
	var script strings.Builder
	for {
		line, err := read(script.Len() > 0)
		if errors.Is(err, io.EOF) && strings.TrimSpace(script.String()) != "" {
			return script.String(), nil // whatever is open: Tcl will say so
		}
		if err != nil {
			return "", err
		}
		script.WriteString(line + "\n")
		if tcl.Complete(script.String()) {
			return script.String(), nil
		}
	}
}

// prompts evaluates what is typed at the terminal until somebody says quit or
// Ctrl-D. Errors are shown, and forgotten.
func (s *session) prompts(ctx context.Context, tcl *interpreter.Tcl) error {
	e := newEditor(s)
	defer e.close()
	for {
		if ctx.Err() != nil { // a signal came while the last command ended
			return interpreter.ErrInterrupted
		}
		script, err := readScript(tcl, func(more bool) (string, error) {
			if more {
				return e.read(continued(s.prompt))
			}
			return e.read(s.prompt + ">")
		})
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			continue // Ctrl-C clears what was typed
		case errors.Is(err, io.EOF):
			fmt.Fprintln(s.Stdout)
			return interpreter.ErrQuit
		case err != nil:
			return fmt.Errorf("read a command: %w", err)
		}
		e.remember(script)
		if err := s.show(ctx, tcl, script); err != nil {
			return err
		}
	}
}

// continued is the prompt of the second line of a command and those after it.
func continued(prompt string) string { return strings.Repeat(" ", len(prompt)) + ">" }

// show evaluates a script and shows what came of it. It returns what ends the
// prompt.
func (s *session) show(ctx context.Context, tcl *interpreter.Tcl, script string) error {
	var result string
	err := s.evaluate(ctx, tcl, func(ctx context.Context) (err error) {
		result, err = tcl.Eval(ctx, script)
		return err
	})
	var failed *interpreter.ScriptError
	switch {
	case errors.As(err, new(*interpreter.DeathError)) && ctx.Err() == nil:
		fmt.Fprintf(s.Stderr, "%v\nA new one has been started: variables and procedures are gone, settings are kept.\n", err)
		return tcl.Restart(ctx)
	case errors.As(err, &failed):
		fmt.Fprintln(s.Stderr, failed.Message)
	case errors.Is(err, interpreter.ErrInterrupted) && ctx.Err() == nil:
		fmt.Fprintln(s.Stderr, err)
	case err != nil:
		return err
	case result != "":
		fmt.Fprintln(s.Stdout, result)
	}
	return nil
}
