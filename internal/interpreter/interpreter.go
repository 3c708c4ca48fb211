// Package interpreter runs scripts in Tcl and Python, each in a process of its
// own that calls commands by name over one small protocol. It knows no command
// and nothing of databases.
package interpreter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// Call is one command as a script calls it.
type Call struct {
	Name   string
	Args   []string
	Folder string // the interpreter's working folder, which paths are relative to

	// Print is nil unless the script has put something in the place of what prints:
	// a procedure puts of its own, or another sys.stdout. Then it takes what the
	// command prints, from any goroutine, until the handler returns.
	Print func(text string)
}

// Handler does a command and returns what the script gets. The interpreter calls
// it for one command after another, and waits for it. An error is the script's,
// but for ErrQuit and ErrInterrupted.
type Handler func(ctx context.Context, call Call) (string, error)

// What a handler may return and an evaluation may end by.
var (
	ErrQuit        = errors.New("quit")        // the interpreter ends, whatever the script catches
	ErrInterrupted = errors.New("interrupted") // the script was stopped by Ctrl-C
)

// Config is what an interpreter is given.
type Config struct {
	Commands []string // names of the commands that scripts may call
	Words    []string // what the command print can show; the print of a language shows all else
	Handle   Handler

	// Suggest returns a suffix for the error about an unknown command, such as ": did you mean
	// vurun?", or "". Optional.
	Suggest func(word string) string

	// Interrupt is told of each Ctrl-C that Python's prompt hears of while a command is
	// done, and returns false where none is. Handle has not returned then.
	Interrupt func() bool

	Stdin, Stdout, Stderr *os.File // the script's own; nil is nothing

	Environ []string // lines "NAME=value"
}

// unknownWords find the word in what Tcl and Python say of one that they do not know.
var unknownWords = []*regexp.Regexp{
	regexp.MustCompile(`^invalid command name "([^"]*)"$`),
	regexp.MustCompile(`^NameError: name '([^']*)' is not defined$`),
}

// suggested adds to an error that nothing in a script caught which command may have
// been meant.
func (c Config) suggested(message string) string {
	for _, unknown := range unknownWords {
		if word := unknown.FindStringSubmatch(message); word != nil && c.Suggest != nil {
			return message + c.Suggest(word[1])
		}
	}
	return message
}

// ScriptError is an error of a script that nothing in it caught.
type ScriptError struct {
	Message string
	Info    string // where it happened, in lines, as the language says it; "" if it has said so itself
	Line    int    // of the script, from 1; 0 where that is not known
}

// Error returns the message alone.
func (e *ScriptError) Error() string { return e.Message }

// DeathError says that an interpreter is gone that was not told to go.
type DeathError struct {
	What  string // "Tcl" or "Python"
	How   string // it ended, such as "signal: killed"
	Cause error  // by which it was noticed
}

// Error returns which interpreter died and how.
func (e *DeathError) Error() string {
	return fmt.Sprintf("the %s interpreter died (%s): %v", e.What, e.How, e.Cause)
}

// Unwrap returns the cause.
func (e *DeathError) Unwrap() error { return e.Cause }

// ErrExit says that a script ended its interpreter.
type ErrExit struct{ Code int }

// Error returns the command that a script ended by.
func (e ErrExit) Error() string { return fmt.Sprintf("exit %d", e.Code) }
