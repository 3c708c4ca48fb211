//go:build unix

package host

import (
	"math"
	"syscall"
)

// OpenFiles returns the limit of open files of this process, which includes connections; 0 if
// unknown. Go raises the soft limit when the process starts.
func OpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt)) // the type of Cur differs between systems
}
