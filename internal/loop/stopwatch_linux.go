package loop

import (
	"sync/atomic"
	"time"
)

// stopwatch adds up intervals. One goroutine starts and stops it, and any goroutine may read it.
type stopwatch struct {
	zero    time.Time    // its times count from it
	sum     atomic.Int64 // of the intervals that have ended, in nanoseconds
	running atomic.Int64 // when the current interval began; 0 if there is none
}

func (s *stopwatch) start() { s.running.Store(int64(time.Since(s.zero))) }

func (s *stopwatch) stop() {
	s.sum.Add(int64(time.Since(s.zero)) - s.running.Swap(0))
}

// total returns the sum, including the current interval. An interval that ends meanwhile may be
// missing until the next call.
func (s *stopwatch) total() time.Duration {
	sum, running := s.sum.Load(), s.running.Load()
	if running > 0 {
		sum += int64(time.Since(s.zero)) - running
	}
	return time.Duration(sum)
}
