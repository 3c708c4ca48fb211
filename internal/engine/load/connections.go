package load

import (
	"math/rand/v2"
	"time"

	"sledge/internal/loop"
)

// Connections says what users work over.
type Connections struct {
	Shared int // connections that all users share; 0 gives each its own
	Loops  int // event loops that run the users, or Automatic; 0 runs each in a goroutine
}

// LoopsOn returns how many event loops run the users on a machine with as many cores; 0 for none.
// Users of one loop share connections, so each loop needs a connection.
func (c Connections) LoopsOn(cores int) int {
	n := c.Loops
	if n == Automatic {
		n = 0
		if loop.Supported() {
			n = max(1, cores/2)
		}
	}
	if c.Shared > 0 {
		n = min(n, c.Shared)
	}
	return n
}

// Reconnect says what becomes of users whose connection is lost.
type Reconnect struct {
	Wanted bool          // they connect again; otherwise the run ends
	Limit  time.Duration // that they may all be without a connection
	Most   int           // times that a user connects again; 0 for no limit
	Delay  time.Duration // before it does, on average, where the first try succeeds
}

// PauseBefore is how long one of so many connections waits before it is made again: longer from try to
// try, up to a second, or so long that all together try no more than 500 times a second;
// half of that to one and a half times, so that they do not all come at once.
func (r Reconnect) PauseBefore(try, connections int, chance *rand.Rand) time.Duration {
	first := max(r.Delay, time.Millisecond)
	most := max(first, time.Second, time.Duration(connections)*time.Second/500)
	mean := min(first<<min(try, 10), most)
	return mean/2 + time.Duration(chance.Int64N(int64(mean)))
}
