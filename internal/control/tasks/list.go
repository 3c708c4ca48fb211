package tasks

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Task is work that a server does until it is done or stopped.
type Task interface {
	ID() string
	IsOver() bool
}

// Status is the state of a task.
type Status string

// The statuses of tasks.
const (
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed"
	Stopped Status = "stopped"
)

// NewID returns an ID for a new task. The ID cannot be guessed.
func NewID() string { return strings.ToLower(rand.Text()[:12]) }

// Remembered is the number of ended tasks that a List keeps.
const Remembered = 30

// List holds the running tasks and those that ended last. It is safe for concurrent use. The zero
// value is ready to use.
type List[T Task] struct {
	mu     sync.Mutex
	ending bool
	all    []T // the oldest first
}

// BusyError means that no task can begin now.
type BusyError struct {
	Ending bool // the program is ending; otherwise too many tasks run
	text   string
}

// Error implements error.
func (e *BusyError) Error() string { return e.text }

// Busy returns a BusyError for too many tasks.
func Busy(format string, arguments ...any) error {
	return &BusyError{text: fmt.Sprintf(format, arguments...)}
}

// Begin calls begin, and adds the task that begin returns. begin gets the running tasks; it must
// not call a method of the list, because no other task begins until it returns. After End, Begin
// returns a BusyError.
func (l *List[T]) Begin(begin func(running []T) (T, error)) (task T, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending {
		return task, &BusyError{true, "nothing is started any more: the program is ending"}
	}
	running := slices.DeleteFunc(slices.Clone(l.all), T.IsOver)
	if task, err = begin(running); err != nil {
		return task, err
	}
	l.all = append(l.all, task)
	ended := len(l.all) - len(running) - 1
	l.all = slices.DeleteFunc(l.all, func(t T) bool {
		if ended <= Remembered || !t.IsOver() {
			return false
		}
		ended--
		return true
	})
	return task, nil
}

// All returns the tasks, the oldest first.
func (l *List[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// Find returns the newest task with an ID.
func (l *List[T]) Find(id string) (task T, found bool) {
	for _, t := range slices.Backward(l.All()) {
		if t.ID() == id {
			return t, true
		}
	}
	return task, false
}

// Remove removes the task with an ID, for example because it could not begin.
func (l *List[T]) Remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(t T) bool { return t.ID() == id })
}

// End refuses further tasks, and returns all tasks.
func (l *List[T]) End() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
	return slices.Clone(l.all)
}
