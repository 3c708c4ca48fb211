package load

import (
	"math/rand/v2"
	"time"

	"sledge/internal/loop"
)

// Connections holds the options for the connections of users.
type Connections struct {
	Shared int // connections that all users share; 0 means one for each user
	Loops  int // event loops that run the users, or Automatic; 0 means a goroutine for each user
}

// LoopsOn returns the number of event loops for the users on a machine with the given number of
// cores, or 0. Users of one loop share connections, so each loop needs a connection.
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

// Reconnect holds the options for users whose connection is lost.
type Reconnect struct {
	Wanted bool          // users connect again; otherwise the run ends
	Limit  time.Duration // maximum time in which no user has a connection
	Most   int           // maximum number of reconnections of a user; 0 means no limit
	Delay  time.Duration // mean pause before the first try
}

// PauseBefore returns the pause before the numbered try to reopen a connection. connections is the
// number of connections of the run. The mean pause grows with each try up to one second, or up to
// the length at which all connections together make at most 500 tries per second. The pause varies
// at random between half and one and a half times its mean, so that connections do not all
// reconnect at once.
func (r Reconnect) PauseBefore(try, connections int, chance *rand.Rand) time.Duration {
	first := max(r.Delay, time.Millisecond)
	most := max(first, time.Second, time.Duration(connections)*time.Second/500)
	mean := min(first<<min(try, 10), most)
	return mean/2 + time.Duration(chance.Int64N(int64(mean)))
}
