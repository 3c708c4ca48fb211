// Package process does each job in its own process, so that concurrent jobs do not share cores,
// memory limits or faults, and a crash of one does not end the program that started it.
//
// Such a process is this program again: a worker. Its standard input brings the order, secrets
// included, and then stop and abort requests; its standard output brings events and the result. Both are JSON
// messages, one after another. Whichever side dies, the other reads the end of a pipe.
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
	// To the worker. The order comes first, and requests may come at any time after it.
	Order   *order      `json:"order,omitempty"`
	Request job.Request `json:"request,omitempty"`

	// From the worker. The end comes last. Alive is a sign of life, sent if there is nothing else.
	Event *job.Event `json:"event,omitempty"`
	Alive bool       `json:"alive,omitempty"`
	End   *end       `json:"end,omitempty"`
}

// order is a worker's job.
type order struct {
	Spec    job.Spec      `json:"spec"`
	Secrets option.Values `json:"secrets,omitempty"` // because the encoded Spec leaves them out, as it does Names
	Names   option.Names  `json:"names,omitempty"`
}

// end is the result of the job.
type end struct {
	Result  job.Result `json:"result"`
	Failure *failure   `json:"failure,omitempty"`
}

// failure is an error as plain data, with everything that callers look for in it.
type failure struct {
	Text     string    `json:"text"`
	Exit     job.Exit  `json:"exit"`
	Password *password `json:"password,omitempty"` // the server refused one
	Fault    *fault    `json:"fault,omitempty"`    // there was a panic
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

// failureOf returns err as plain data; nil stays nil.
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

// err returns the error with the same text, the same exit code, and the causes that callers look
// for.
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

// carried is an error of a worker.
type carried struct {
	text   string
	causes []error
}

func (c *carried) Error() string   { return c.text }
func (c *carried) Unwrap() []error { return c.causes }

// encodable returns the end in a form that can be sent. If the result cannot be encoded, for
// example because a figure is not a number, it becomes a failure.
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
