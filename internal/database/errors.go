package database

import (
	"errors"
	"time"

	"sledge/internal/job"
)

// ConnectTimeout is the default limit of an attempt to connect. It is longer than an overloaded
// server needs, and short enough for a waiting user.
const ConnectTimeout = 30 * time.Second

// ErrMissing marks an error of Connect or Create (by errors.Is): the server exists, but the
// database, its account or the file does not.
var ErrMissing = errors.New("the database does not exist")

// ErrNoAccount marks an ErrMissing of Connect (by errors.Is): the account does not exist, so
// Connect cannot know whether the database does.
var ErrNoAccount = errors.New("the account does not exist")

// Missing marks an error as ErrMissing.
func Missing(err error) error { return missingError{err} }

type missingError struct{ error }

func (m missingError) Is(target error) bool { return target == ErrMissing }
func (m missingError) Unwrap() error        { return m.error }

// PasswordError is an error of Connect: the server refused the password.
type PasswordError struct {
	Option string // the name of the option that holds the password
	Called string // the front end's name for that option
	User   string
	Err    error // says what happened and what to do
}

// Error returns the text of the connection error.
func (e *PasswordError) Error() string { return e.Err.Error() }

// Unwrap returns the connection error.
func (e *PasswordError) Unwrap() error { return e.Err }

// ConnectError is a failed connection, in our words, because a driver does not know our options.
type ConnectError struct {
	Text    string // what happened and what to do
	Err     error  // the driver's, for Classify
	Missing bool   // the server says that the database or the account does not exist: the error is ErrMissing
	Refused bool   // the server answered, and refused the login for another reason
}

// Error returns Text, cut to job.LongestText bytes, because a server may refuse a login with a
// message of 20 MB.
func (e *ConnectError) Error() string { return job.Cut(e.Text, job.LongestText) }

// Unwrap returns the driver's error.
func (e *ConnectError) Unwrap() error { return e.Err }

// Is makes the error ErrMissing if Missing is set.
func (e *ConnectError) Is(target error) bool { return target == ErrMissing && e.Missing }

// CauseOf returns the cause of an error of Connect, or nil if the error names an option, or is not
// about the connection.
func CauseOf(err error) *job.Cause {
	if refused, is := errors.AsType[*PasswordError](err); is {
		return &job.Cause{Kind: job.Refused, Option: refused.Option}
	}
	if errors.Is(err, ErrMissing) {
		return &job.Cause{Kind: job.NoDatabase}
	}
	unconnected, is := errors.AsType[*ConnectError](err)
	switch {
	case !is:
		return nil
	case unconnected.Refused:
		return &job.Cause{Kind: job.Refused}
	}
	return &job.Cause{Kind: job.Unreachable}
}
