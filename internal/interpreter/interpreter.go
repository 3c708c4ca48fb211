// Package interpreter runs scripts in Tcl and Python. Each interpreter is a separate process, which
// calls commands by name over a small protocol. The package does not know the commands.
package interpreter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// Call is a script's call of a command.
type Call struct {
	Name   string
	Args   []string
	Folder string // the interpreter's working folder, which paths are relative to

	// Print is nil unless the script has replaced the language's output: a procedure in place of
	// puts, or another sys.stdout. Print then receives the output of the command. Any goroutine may
	// call it until the handler returns.
	Print func(text string)
}

// Handler executes a command and returns its result to the script. The interpreter calls it for one
// command at a time, and waits for it. The script receives the error, unless it is ErrQuit or
// ErrInterrupted.
type Handler func(ctx context.Context, call Call) (string, error)

// Errors with which a handler and an evaluation may end.
var (
	ErrQuit        = errors.New("quit")        // ends the interpreter even if the script catches errors
	ErrInterrupted = errors.New("interrupted") // the script was stopped by Ctrl-C
)

// Config configures an interpreter.
type Config struct {
	Commands []string // names of the commands that scripts may call
	Words    []string // arguments of the console's command print; the language's own print handles all others
	Handle   Handler

	// Suggest returns a suffix for the error about an unknown command, such as ": did you mean
	// vurun?", or "". Optional.
	Suggest func(word string) string

	// Interrupt is called for each Ctrl-C that Python's prompt receives while Handle runs a
	// command. It returns false if no command runs.
	Interrupt func() bool

	Stdin, Stdout, Stderr *os.File // the script's streams; nil means none

	Environ []string // lines "NAME=value"
}

// unknownWords match the word in the errors of Tcl and Python about an unknown word.
var unknownWords = []*regexp.Regexp{
	regexp.MustCompile(`^invalid command name "([^"]*)"$`),
	regexp.MustCompile(`^NameError: name '([^']*)' is not defined$`),
}

// suggested adds a suggestion of a similar command to an error that the script did not catch.
func (c Config) suggested(message string) string {
	for _, unknown := range unknownWords {
		if word := unknown.FindStringSubmatch(message); word != nil && c.Suggest != nil {
			return message + c.Suggest(word[1])
		}
	}
	return message
}

// ScriptError is an error that the script did not catch.
type ScriptError struct {
	Message string
	Info    string // the language's stack trace; "" if the language has printed it
	Line    int    // line of the script, from 1; 0 if unknown
}

// Error returns the message without the stack trace.
func (e *ScriptError) Error() string { return e.Message }

// DeathError means that an interpreter ended unexpectedly.
type DeathError struct {
	What  string // "Tcl" or "Python"
	How   string // how it ended, such as "signal: killed"
	Cause error  // the error that revealed it
}

// Error names the interpreter and says how it ended.
func (e *DeathError) Error() string {
	return fmt.Sprintf("the %s interpreter died (%s): %v", e.What, e.How, e.Cause)
}

// Unwrap returns the cause.
func (e *DeathError) Unwrap() error { return e.Cause }

// ErrExit means that a script ended its interpreter.
type ErrExit struct{ Code int }

// Error returns the command that ended the script.
func (e ErrExit) Error() string { return fmt.Sprintf("exit %d", e.Code) }
