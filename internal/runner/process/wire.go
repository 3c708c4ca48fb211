// Package process executes each job in its own process, so that concurrent jobs do not share cores,
// memory limits or faults, and a crash of a job does not end the program that started it.
//
// Such a process, a worker, runs this program. It reads the order with its secrets, and then stop
// and abort requests, from standard input. It writes events and the result to standard output. Both
// are sequences of JSON messages. If either side dies, the other reads the end of a pipe.
package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
)

// message is a message of either side. Exactly one of its members is set.
type message struct {
	// To the worker. The order is the first message, and requests may follow at any time.
	Order   *order      `json:"order,omitempty"`
	Request job.Request `json:"request,omitempty"`

	// From the worker. End is the last message. Alive is sent once per second.
	Event *job.Event `json:"event,omitempty"`
	Alive bool       `json:"alive,omitempty"`
	End   *end       `json:"end,omitempty"`
}

// order is a worker's job.
type order struct {
	Spec    job.Spec      `json:"spec"`
	Secrets option.Values `json:"secrets,omitempty"` // the encoded Spec does not contain secrets and names
	Names   option.Names  `json:"names,omitempty"`
}

// end is the result of the job.
type end struct {
	Result  job.Result `json:"result"`
	Failure *failure   `json:"failure,omitempty"`
}

// failure is an error as plain data, with the causes that callers use.
type failure struct {
	Text     string    `json:"text"`
	Exit     job.Exit  `json:"exit"`
	Password *password `json:"password,omitempty"` // a refused password
	Fault    *fault    `json:"fault,omitempty"`    // a panic
}

type password struct {
	Option string `json:"option"`
	Called string `json:"called"`
	User   string `json:"user"`
}

type fault struct {
	Value string `json:"value"`
	Stack []byte `json:"stack"`
}

// failureOf converts an error to plain data; nil stays nil.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error(), Exit: job.ExitOf(err)}
	if refused, is := errors.AsType[*database.PasswordError](err); is {
		f.Password = &password{Option: refused.Option, Called: refused.Called, User: refused.User}
	}
	if panicked, is := errors.AsType[*job.Fault](err); is {
		f.Fault = &fault{Value: fmt.Sprint(panicked.Value), Stack: panicked.Stack}
	}
	return f
}

// err converts the failure back to an error with the same text, exit code and causes.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	e := &carried{text: f.Text}
	if p := f.Password; p != nil {
		e.causes = append(e.causes, &database.PasswordError{Option: p.Option, Called: p.Called, User: p.User, Err: errors.New(f.Text)})
	}
	if f.Fault != nil {
		e.causes = append(e.causes, &job.Fault{Value: f.Fault.Value, Stack: f.Fault.Stack})
	}
	return job.WithExit(f.Exit, e)
}

// carried is an error that a worker reported.
type carried struct {
	text   string
	causes []error
}

func (c *carried) Error() string   { return c.text }
func (c *carried) Unwrap() []error { return c.causes }

// encodable returns e if it can be encoded. Otherwise, for example because a figure is NaN, it
// returns a failure.
func (e end) encodable() end {
	_, err := json.Marshal(e)
	if err == nil {
		return e
	}
	why := fmt.Errorf("the result cannot be encoded: %w", err)
	started := e.Result.Started
	if started.IsZero() {
		started = time.Now()
	}
	return end{
		Result:  job.Result{Status: job.Failed, Reason: why.Error(), Extent: job.Extent{Started: started}},
		Failure: failureOf(errors.Join(e.Failure.err(), job.WithExit(job.ExitInternal, why))),
	}
}
