package loop

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
)

// Blocks makes a call that waits for the server. It returns why such a call would block an event
// loop, or "" if it would not. A driver that does not wait on these connections, or reads from them
// in its own goroutines, would block all tasks of the loop.
//
// No task may have adopted the connections.
func (c *Connections) Blocks(call func() error) (why string, err error) {
	if len(c.all()) == 0 {
		return "its driver has no connection that an event loop could wait for", nil
	}
	var seen reads
	c.reads.Store(&seen)
	defer c.reads.Store(nil)
	switch err := callHere(call); {
	case err != nil:
		return "", err
	case seen.elsewhere.Load():
		return "its driver reads in goroutines of its own", nil
	case !seen.here.Load():
		return "its driver does not read from its connection during a call", nil
	}
	return "", nil
}

// errNothingToWaitFor is the error of Adopt for a session without connections.
var errNothingToWaitFor = errors.New("internal error: the session has no connection that an event loop could wait for")

// reads records in which goroutines a driver has read.
type reads struct{ here, elsewhere atomic.Bool } // in the goroutine of the call; in another one

// note records the goroutine of a read.
func (c *Connections) note() {
	seen := c.reads.Load()
	if seen == nil {
		return
	}
	if calledHere() {
		seen.here.Store(true)
	} else {
		seen.elsewhere.Store(true)
	}
}

// callHere makes a call that calledHere finds on the stack.
//
//go:noinline
func callHere(call func() error) error { return call() }

// calledHere reports whether callHere is on the stack of this goroutine.
func calledHere() bool {
	callers := make([]uintptr, 256)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "/loop.callHere") {
			return true
		}
		if !more {
			return false
		}
	}
}
