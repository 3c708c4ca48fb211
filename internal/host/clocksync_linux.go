package host

import (
	"fmt"
	"syscall"
)

// clockSynced reports whether the kernel's clock is synchronised (adjtimex(2): TIME_ERROR means that it
// is not).
func clockSynced() (bool, error) {
	const timeError = 5
	state, err := syscall.Adjtimex(&syscall.Timex{})
	if err != nil {
		return false, fmt.Errorf("the state of the clock cannot be read: %w", err)
	}
	return state != timeError, nil
}
