package hammerdb

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

	"sledge/internal/cli/program"
	"sledge/internal/interpreter"
	"sledge/internal/report"
)

// editsLines reports whether standard input and output are a terminal, on which lines can be edited.
func editsLines(p *program.Program) bool {
	in, out := file(p.Stdin), file(p.Stdout)
	return p.StdinIsTerminal && in == os.Stdin && out == os.Stdout && term.IsTerminal(int(out.Fd()))
}

// heightFor returns a function that returns the height of the prompt's terminal in lines. It
// returns nil for scripts and pipes, whose output is never shortened.
func heightFor(p *program.Program, use consoleUse) func() int {
	if use.script != "" || !editsLines(p) {
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

// showsResults reports whether the console prints the results of commands. It does so at a prompt,
// and in hammerdbcli for Tcl from a pipe.
func showsResults(p *program.Program, use consoleUse) bool {
	switch {
	case use.script != "":
		return false
	case use.language == inPython:
		return p.StdinIsTerminal
	}
	return editsLines(p) || use.prompt == hammerdbPrompt
}

// reads evaluates commands from a pipe until it ends. It continues after an error, as tclsh does,
// and returns the first error, even after quit. Only hammerdbcli prints results: scripts that pipe
// commands into it look for the job ID that vurun returns.
func (s *Session) reads(ctx context.Context, tcl *interpreter.Tcl) error {
	var first error
	for {
		script, err := readScript(tcl, func(bool) (string, error) {
			line, err := program.ReadLine(s.Stdin)
			if errors.Is(err, io.EOF) && line != "" {
				err = nil // the last line has no newline
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
			failed.Info = "" // it has just been printed
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

// readScript reads lines until they form a complete script.
func readScript(tcl *interpreter.Tcl, read func(more bool) (string, error)) (string, error) {
	var script strings.Builder
	for {
		line, err := read(script.Len() > 0)
		if errors.Is(err, io.EOF) && strings.TrimSpace(script.String()) != "" {
			return script.String(), nil // incomplete: Tcl will report it
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

// prompts evaluates commands from the terminal until quit or Ctrl-D. It prints errors and continues.
func (s *Session) prompts(ctx context.Context, tcl *interpreter.Tcl) error {
	e := newEditor(s)
	defer e.close()
	for {
		if ctx.Err() != nil { // a signal arrived while the last command ended
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
			continue // Ctrl-C clears the line
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

// continued returns the prompt for the second and later lines of a command.
func continued(prompt string) string { return strings.Repeat(" ", len(prompt)) + ">" }

// show evaluates a script and prints its result or error. It returns an error only if the prompt must
// end.
func (s *Session) show(ctx context.Context, tcl *interpreter.Tcl, script string) error {
	var result string
	err := s.evaluate(ctx, tcl, func(ctx context.Context) (err error) {
		result, err = tcl.Eval(ctx, script)
		return err
	})
	var failed *interpreter.ScriptError
	switch {
	case errors.As(err, new(*interpreter.DeathError)) && ctx.Err() == nil:
		fmt.Fprintf(s.Stderr, "%v\nA new interpreter was started: variables and procedures are lost, settings are kept.\n", err)
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
