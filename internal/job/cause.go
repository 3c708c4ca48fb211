package job

import (
	"errors"

	"sledge/internal/option"
)

// Cause is why a job failed, for front ends that offer a remedy. The reason is the text for people.
type Cause struct {
	Kind   CauseKind `json:"kind"`
	Option string    `json:"option,omitempty"` // the option to change, by its own name
}

// CauseKind is the kind of a cause.
type CauseKind string

// The kinds of causes. An error of another kind has no cause.
const (
	Unreachable CauseKind = "unreachable" // no server of the chosen kind answers at the address
	Refused     CauseKind = "refused"     // the server refused the login
	NoDatabase  CauseKind = "no_database" // the database, its account or its file does not exist
	NoSchema    CauseKind = "no_schema"   // the database has no schema of the workload
	HalfBuilt   CauseKind = "half_built"  // the build of the schema was interrupted
	BadOption   CauseKind = "option"      // an option has a value that the database does not support
)

// causeError is an error with its cause.
type causeError struct {
	cause Cause
	error
}

// Unwrap returns the error without the cause.
func (e causeError) Unwrap() error { return e.error }

// WithCause returns err with a cause. A nil error stays nil.
func WithCause(c Cause, err error) error {
	if err == nil {
		return nil
	}
	return causeError{c, err}
}

// CauseOf returns the cause of an error, or nil if it has none. An error about an option is a cause
// by itself.
func CauseOf(err error) *Cause {
	if of, is := errors.AsType[causeError](err); is {
		return &of.cause
	}
	if wrong, is := errors.AsType[*option.Error](err); is {
		return &Cause{Kind: BadOption, Option: wrong.Option}
	}
	return nil
}
