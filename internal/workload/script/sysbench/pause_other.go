//go:build !linux

package sysbench

import "time"

// nap pauses for less than a millisecond.
func nap(d time.Duration) { time.Sleep(d) }
