package sysbench

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap pauses for less than a millisecond, of which Go's timers would make a whole one.
func nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a signal ends it early
}
