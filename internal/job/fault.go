package job

import (
	"fmt"
	"runtime/debug"
)

// Fault is a panic in the code that does a job. It ends the job like any other error, and the
// program goes on.
type Fault struct {
	Value any    // the value of the panic
	Stack []byte // where
}

// Error returns the value of the panic.
func (f *Fault) Error() string { return fmt.Sprintf("a bug in Sledge ended the job: %v", f.Value) }

// Guarded calls work, and returns a panic in it as a Fault. Every goroutine that calls code of a
// database or a workload begins with it.
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
