// Package process does each job in a process of its own, so that jobs that go on at the same
// time share neither cores nor memory limits nor faults, and the death of one is not the death
// of the program that started it.
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

// message is what one side tells the other. One of its members is set.
type message struct {
	// To the worker. The order comes first, and requests may come at any time after it.
	Order   *order      `json:"order,omitempty"`
	Request job.Request `json:"request,omitempty"`

	// From the worker. The end comes last. Alive is set where there was nothing to tell.
	Event *job.Event `json:"event,omitempty"`
	Alive bool       `json:"alive,omitempty"`
	End   *end       `json:"end,omitempty"`
}

// order is what a worker is to do.
type order struct {
	Spec    job.Spec      `json:"spec"`
	Secrets option.Values `json:"secrets,omitempty"` // which the encoded Spec leaves out, as it does Names
	Names   option.Names  `json:"names,omitempty"`
}

// end is how it ended.
type end struct {
	Result  job.Result `json:"result"`
	Failure *failure   `json:"failure,omitempty"`
}

// failure is an error as plain data, with all that callers look for in one.
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

// err returns the error again. It has the same text and the same exit code, and the causes that
// callers look for.
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

// carried is an error that came from a worker.
type carried struct {
	text   string
	causes []error
}

func (c *carried) Error() string   { return c.text }
func (c *carried) Unwrap() []error { return c.causes }

// encodable returns the end in a form that can be sent: a result that cannot be encoded, for
// example because a figure is not a number, becomes a failure.
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
		Result:  job.Result{Status: job.Failed, Reason: why.Error(), Started: started},
		Failure: failureOf(errors.Join(e.Failure.err(), job.WithExit(job.ExitInternal, why))),
	}
}
