package tasks

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Task is what a server does until it is done or stopped.
type Task interface {
	ID() string
	IsOver() bool
}

// Status says how far a task is.
type Status string

// The statuses of tasks.
const (
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed"
	Stopped Status = "stopped"
)

// NewID returns the ID of a new task, which cannot be guessed.
func NewID() string { return strings.ToLower(rand.Text()[:12]) }

// Remembered is how many tasks that have ended a List keeps.
const Remembered = 30

// List has the tasks that run, and those that ended last. Its methods may be called by several
// goroutines. The zero value is ready to use.
type List[T Task] struct {
	mu     sync.Mutex
	ending bool
	all    []T // the oldest first
}

// BusyError says that no task can begin now.
type BusyError struct {
	Ending bool // because the program ends, and not because too many tasks run
	text   string
}

// Error implements error.
func (e *BusyError) Error() string { return e.text }

// Busy returns a BusyError for too many tasks.
func Busy(format string, arguments ...any) error {
	return &BusyError{text: fmt.Sprintf(format, arguments...)}
}

// Begin adds the task that begin starts. begin gets the tasks that run, and no other task begins before
// it returns: it must call no method of the list. After End, Begin returns a BusyError.
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

// Remove forgets the task with an ID, as one that could not begin.
func (l *List[T]) Remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(t T) bool { return t.ID() == id })
}

// End lets no other task begin, and returns the tasks.
func (l *List[T]) End() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
	return slices.Clone(l.all)
}
