// Package feed hands the events of a job to its watchers. It does not know what the events are about.
package feed

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sledge/internal/job"
)

// Feed hands events to the watchers one after another, from whichever goroutine
// they come.
type Feed struct {
	mu       sync.Mutex
	Watchers []job.Watcher

	said sync.Map // the messages of MessageOnce
}

// Send hands an event to the watchers.
func (f *Feed) Send(e job.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.At = time.Now()
	for _, w := range f.Watchers {
		w.Watch(e)
	}
}

// Step sends a step, which begins unless it says otherwise.
func (f *Feed) Step(position int, s job.Step) {
	if s.Stage == "" {
		s.Stage = job.Begins
	}
	f.Send(job.Event{User: position, Step: &s})
}

// State sends how the virtual user at a position stands.
func (f *Feed) State(position int, is job.UserState) {
	f.Send(job.Event{User: position, State: is})
}

// Message sends something in words, of the virtual user at a position or, from 0, of
// the job itself.
func (f *Feed) Message(position int, format string, args ...any) {
	f.Send(job.Event{User: position, Message: fmt.Sprintf(format, args...)})
}

// MessageOnce sends a message of the job's own, which others may want to send at the same
// moment.
func (f *Feed) MessageOnce(text string) {
	if _, already := f.said.LoadOrStore(text, true); !already {
		f.Message(0, "%s", text)
	}
}

// As returns what sends events as the virtual user at a position.
func (f *Feed) As(position int) func(job.Event) {
	return func(e job.Event) {
		e.User = position
		f.Send(e)
	}
}

// Finish tells how the first virtual user ended. What ended because another virtual
// user did has been told of that one.
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

// Fail tells that a virtual user ended with an error, which may know more than its text by a method
// Trouble.
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

// Error is what a virtual user could not go on for. It has been said.
type Error struct {
	Position int
	Err      error
}

// Error says which user it was.
func (e *Error) Error() string { return fmt.Sprintf("virtual user %d: %v", e.Position, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Noticeable is how long something may take before it is said what it waits for.
const Noticeable = 2 * time.Second

// NoticedAgain is how often it is said again.
const NoticedAgain = 10 * time.Second
