package job

import (
	"fmt"
	"runtime/debug"
)

// Fault is a panic in what does a job. The job ends by it as by any other error, and the
// program goes on.
type Fault struct {
	Value any    // that was panicked with
	Stack []byte // where
}

// Error says what it was.
func (f *Fault) Error() string { return fmt.Sprintf("a bug in Sledge ended the job: %v", f.Value) }

// Guarded calls work, and returns a panic in it as a Fault. Every goroutine that calls
// what a database or a workload brings along begins with it.
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
