package hammerdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/peterh/liner"
)

// editor reads lines from the terminal, with history and completion.
type editor struct {
	line    *liner.State
	edits   liner.ModeApplier // the terminal's mode while a line is edited
	usual   liner.ModeApplier // the terminal's mode while a command runs
	history string            // the file of the history; "" if it is not saved
}

// newEditor opens the terminal and loads the history, if there is one.
func newEditor(s *Session) *editor {
	e := &editor{history: s.historyFile()}
	usual, err := liner.TerminalMode()
	e.line = liner.NewLiner()
	if err == nil {
		e.usual = usual
		e.edits, _ = liner.TerminalMode()
	}
	e.line.SetCtrlCAborts(true)
	e.line.SetTabCompletionStyle(liner.TabPrints)
	e.line.SetWordCompleter(s.complete)
	if e.history == "" {
		return e
	}
	if err := e.load(); err != nil {
		fmt.Fprintf(s.Stderr, "sledge: warning: read the history: %v\n", err)
	}
	return e
}

// load reads the history, and shortens its file if it has grown long.
func (e *editor) load() error {
	kept, err := os.ReadFile(e.history)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(kept), "\n")
	latest := strings.Join(lines[max(0, len(lines)-liner.HistoryLimit):], "")
	if _, err := e.line.ReadHistory(strings.NewReader(latest)); err != nil {
		return err
	}
	const long = 3 * liner.HistoryLimit
	if len(lines) < long {
		return nil
	}
	return os.WriteFile(e.history, []byte(latest), 0o600)
}

// read reads one line. Between lines the terminal has its original mode, for programs that a
// script starts.
func (e *editor) read(prompt string) (string, error) {
	if e.edits != nil {
		_ = e.edits.ApplyMode() // if the terminal is gone, Prompt fails too
		defer func() { _ = e.usual.ApplyMode() }()
	}
	return e.line.Prompt(prompt)
}

// secret matches commands that may contain a password.
var secret = regexp.MustCompile(`(?i)pass`)

// remember adds the lines of a script to the history, unless it may contain a password.
func (e *editor) remember(script string) {
	script = strings.TrimSpace(script)
	if script == "" || secret.MatchString(script) {
		return
	}
	for line := range strings.Lines(script) {
		e.line.AppendHistory(strings.TrimRight(line, "\r\n"))
	}
	if e.history == "" {
		return
	}
	// The lines are appended, because other consoles append theirs to the same file.
	kept, err := os.OpenFile(e.history, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return // a history is a convenience
	}
	defer kept.Close()
	_, _ = fmt.Fprintln(kept, script) // a history is a convenience
}

func (e *editor) close() { e.line.Close() }

// historyFile returns the file of the history, which is beside the settings, or "".
func (s *Session) historyFile() string {
	if s.kept == "" {
		return ""
	}
	folder := filepath.Dir(s.kept)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return ""
	}
	return filepath.Join(folder, "console_history")
}

// complete returns completions for the word before the cursor.
func (s *Session) complete(line string, position int) (head string, completions []string, tail string) {
	return s.Console.Complete(line, position)
}
