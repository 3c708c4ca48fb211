//go:build unix

package host

import (
	"math"
	"syscall"
)

// OpenFiles returns how many files this process may have open, connections among them; 0
// where that is not known. Go has raised the limit at the start as far as the system let
// it.
func OpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt)) // of another type on some systems
}
