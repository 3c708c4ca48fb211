package job

import "errors"

// Exit is the exit code of the program.
type Exit int

// The exit codes. They are part of the interface and never change their meaning.
const (
	OK           Exit = 0
	ExitError    Exit = 1   // any other failure; set-up B is worse than A
	ExitUsage    Exit = 2   // bad input: nothing was changed; a comparison is undecided
	ExitConnect  Exit = 3   // the server could not be reached, or refused the login
	ExitCheck    Exit = 4   // the check found rows that break a rule; doctor has a finding of severity high; verify found a fault
	ExitInvalid  Exit = 5   // the run is not valid: too many failures, or counts that disagree; doctor has a finding of severity stop
	ExitAborted  Exit = 6   // a virtual user died, or the server went away, during a run or a build
	ExitExists   Exit = 7   // the schema exists or is half built, or other objects are in the way
	ExitMissing  Exit = 8   // the schema, the database, the job or the file does not exist
	ExitLost     Exit = 9   // an acknowledged commit is missing in the database, or appears twice
	ExitMissed   Exit = 10  // the run is valid, and missed a threshold
	ExitStopped  Exit = 130 // stopped by Ctrl-C, SIGTERM or SIGHUP, or because the output was closed
	ExitInternal Exit = 70  // a bug in Sledge
)

// ExitMeanings describes the exit codes, for help and manual.
var ExitMeanings = []struct {
	Code    Exit
	Meaning string
}{
	{OK, "everything succeeded"},
	{ExitError, "any other failure; compare: B is worse"},
	{ExitUsage, "bad input; nothing was changed; compare: undecided"},
	{ExitConnect, "the server could not be reached, or refused the login"},
	{ExitCheck, "check: rows break a rule; doctor: a high finding; verify: a fault"},
	{ExitInvalid, "the run is not valid: do not use its figures; doctor: a stop finding"},
	{ExitAborted, "a virtual user died, or the server went away, during a run or a build"},
	{ExitExists, "the schema exists or is half built, or other objects are in the way"},
	{ExitMissing, "the schema, the database or the job does not exist"},
	{ExitLost, "ledger: an acknowledged commit is missing, or appears twice"},
	{ExitMissed, "the run is valid, but missed a threshold (--fail-if)"},
	{ExitInternal, "a bug in Sledge"},
	{ExitStopped, "stopped by Ctrl-C, SIGTERM or SIGHUP, or because the output was closed"},
}

// exitError is an error with the exit code for the program.
type exitError struct {
	code Exit
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

// WithExit returns err with an exit code. If err already has a code, that one wins, because it is
// closer to the cause. A nil error stays nil.
func WithExit(code Exit, err error) error {
	if err == nil {
		return nil
	}
	if errors.As(err, new(exitError)) {
		return err
	}
	return exitError{code, err}
}

// ExitOf returns the exit code for err.
func ExitOf(err error) Exit {
	if err == nil {
		return OK
	}
	var e exitError
	if errors.As(err, &e) {
		return e.code
	}
	return ExitError
}
