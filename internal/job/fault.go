package job

import (
	"fmt"
	"runtime/debug"
)

// Fault is a panic in the code that executes a job. It ends the job like any other error, and the
// program continues.
type Fault struct {
	Value any    // the value of the panic
	Stack []byte // stack trace of the panic
}

// Error returns the value of the panic.
func (f *Fault) Error() string { return fmt.Sprintf("a bug in Sledge ended the job: %v", f.Value) }

// Guarded calls work, and returns a panic in work as a Fault. Every goroutine that calls code of a
// database or a workload must use it.
func Guarded(work func() error) (err error) {
	whole := false
	defer func() {
		if !whole {
			err = WithExit(ExitInternal, &Fault{Value: recover(), Stack: debug.Stack()})
		}
	}()
	err = work()
	whole = true
	return err
}
