//go:build !linux

package loop

import (
	"errors"
	"fmt"
	"net"
	"runtime"
)

// Supported says whether there are event loops on this system.
const Supported = false

// New would return event loops; there are none on this system.
func New(int) (Scheduler, error) {
	return nil, fmt.Errorf("event loops on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// task has no loop to be a coroutine of.
type task struct{}

func wrap(net.Conn) (adoptable, bool) { return nil, false }
