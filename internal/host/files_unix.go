//go:build unix

package host

import (
	"math"
	"syscall"
)

// OpenFiles returns the limit of open files of this process, connections among them; 0 if
// unknown. Go has raised the soft limit at the start.
func OpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt)) // of another type on some systems
}
