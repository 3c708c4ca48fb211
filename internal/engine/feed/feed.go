// Package feed sends the events of a job to its watchers. It does not interpret the events.
package feed

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sledge/internal/job"
)

// Feed sends events to the watchers one after another. It is safe for concurrent use.
type Feed struct {
	mu       sync.Mutex
	Watchers []job.Watcher
	job.Direct

	said sync.Map // messages that MessageOnce has sent
}

// Send sends an event to the watchers. An event without a time gets the current one.
func (f *Feed) Send(e job.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.At.IsZero() {
		e.At = time.Now()
	}
	for _, w := range f.Watchers {
		w.Watch(e)
	}
}

// Attend adds a watcher, which gets the events from now on.
func (f *Feed) Attend(w job.Watcher) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Watchers = append(f.Watchers[:len(f.Watchers):len(f.Watchers)], w)
}

// Step sends a step. Its stage is Begins unless it is set.
func (f *Feed) Step(position int, s job.Step) {
	if s.Stage == "" {
		s.Stage = job.Begins
	}
	f.Send(job.Event{User: position, Step: &s})
}

// State sends the state of the virtual user at a position.
func (f *Feed) State(position int, is job.UserState) {
	f.Send(job.Event{User: position, State: is})
}

// Message sends a message of the virtual user at a position, or of the job itself at position 0.
func (f *Feed) Message(position int, format string, args ...any) {
	f.Send(job.Event{User: position, Message: fmt.Sprintf(format, args...)})
}

// MessageOnce sends a message of the job itself, once per text. Several goroutines may send the
// same text.
func (f *Feed) MessageOnce(text string) {
	if _, already := f.said.LoadOrStore(text, true); !already {
		f.Message(0, "%s", text)
	}
}

// As returns a function that sends events as the virtual user at a position.
func (f *Feed) As(position int) func(job.Event) {
	return func(e job.Event) {
		e.User = position
		f.Send(e)
	}
}

// Finish reports how the first virtual user ended. If err is of another virtual user, Fail has
// already reported it.
func (f *Feed) Finish(err error) {
	_, told := errors.AsType[*Error](err)
	switch {
	case err == nil:
		f.State(job.Monitor, job.UserSucceeded)
	case told:
		f.State(job.Monitor, job.UserFailed)
	default:
		f.Fail(job.Monitor, err)
	}
}

// Fail reports that a virtual user ended with an error. If the error has a method Trouble, Fail
// sends its details.
func (f *Feed) Fail(position int, err error) {
	var trouble job.Trouble
	if knows, ok := errors.AsType[interface {
		error
		Trouble() job.Trouble
	}](err); ok {
		trouble = knows.Trouble()
	}
	trouble.Error = strings.ReplaceAll(err.Error(), "\n", "; ")
	f.Send(job.Event{User: position, Trouble: &trouble})
	f.State(position, job.UserFailed)
}

// Error is the error with which a virtual user ended. It has been reported to watchers.
type Error struct {
	Position int
	Err      error
}

// Error returns the text of the error with the position of the user.
func (e *Error) Error() string { return fmt.Sprintf("virtual user %d: %v", e.Position, e.Err) }

// Unwrap returns the error without the position.
func (e *Error) Unwrap() error { return e.Err }

// Noticeable is the time after which a wait is reported.
const Noticeable = 2 * time.Second

// NoticedAgain is the interval at which the report is repeated.
const NoticedAgain = 10 * time.Second
