package plan

import (
	"fmt"
	"math/rand/v2"
	"time"

	"sledge/internal/job"
)

// Asynchronous clients are the terminals of one virtual user: each is a user of the engine,
// with its own pauses and, unless users share connections, its own session. They log in one
// after another while those who have done so work already, and the ramp-up begins when the
// last has: what is measured is all of them.

// ClientsPerUser is how many terminals each virtual user has.
func (p Plan) ClientsPerUser() int { return max(1, p.Pacing.Clients) }

// Terminals is how many there are in all: the users of the engine.
func (p Plan) Terminals() int { return p.Users * p.ClientsPerUser() }

// Position is that of the virtual user whom a terminal belongs to.
func (p Plan) Position(terminal int) int { return terminal/p.ClientsPerUser() + p.FirstWorker() }

// Client is the number of a terminal among those of its virtual user, from 1; 0 where
// virtual users have no clients.
func (p Plan) Client(terminal int) int {
	if p.Pacing.Clients == 0 {
		return 0
	}
	return terminal%p.ClientsPerUser() + 1
}

// NameOf names a terminal: "virtual user 2, client 7".
func (p Plan) NameOf(terminal int) string {
	name := fmt.Sprintf("virtual user %d", p.Position(terminal))
	if client := p.Client(terminal); client > 0 {
		name += fmt.Sprintf(", client %d", client)
	}
	return name
}

// Waiters sums up the users that wait for the database.
func (p Plan) Waiters() string {
	if p.Pacing.Clients > 0 {
		return "asynchronous client"
	}
	return "virtual user"
}

// ConnectionCount is how many the users need.
func (p Plan) ConnectionCount() int {
	switch {
	case p.Pacing.Connections > 0:
		return p.Pacing.Connections
	case p.Pool != nil:
		return p.Terminals() * len(p.Pool.Connections)
	}
	return p.Terminals()
}

// ReconnectStream keeps the chance in pauses apart from what terminals draw.
const ReconnectStream = 0x4ec0_0000_0000_0000

// PauseBefore is how long a connection waits before it is made again: longer from try to
// try, up to a second, or so long that all together try no more than 500 times a second;
// half of that to one and a half times, so that they do not all come at once.
func (p Plan) PauseBefore(try int, chance *rand.Rand) time.Duration {
	first := max(p.Pacing.ReconnectDelay, time.Millisecond)
	most := max(first, time.Second, time.Duration(p.ConnectionCount())*time.Second/500)
	mean := min(first<<min(try, 10), most)
	return mean/2 + time.Duration(chance.Int64N(int64(mean)))
}

// Monitor is the position of the monitor, or 0 if the run has no monitor.
func (p Plan) Monitor() int {
	if p.Unmonitored() {
		return 0
	}
	return job.Monitor
}

// FirstWorker is the position of user number 0: after the monitor, where there is one.
func (p Plan) FirstWorker() int {
	if p.Unmonitored() {
		return job.Monitor
	}
	return job.FirstWorker + p.before
}

// Unmonitored says that virtual users work without a monitor: in a test, and where their
// work ends the run.
func (p Plan) Unmonitored() bool { return p.Pacing.Test || p.Pacing.Finite }

// Rand returns the random numbers of a user.
func (p Plan) Rand(number int) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, uint64(number))) }

// FarOff is after the end of any run, and can be added to a moment.
const FarOff = 100 * 365 * 24 * time.Hour

// Backoff is nothing before the first retry, because the other party to a
// deadlock has gone on by then, and grows to 50 ms after that.
func Backoff(retries int) time.Duration {
	return min(time.Duration(retries-1)*5*time.Millisecond, 50*time.Millisecond)
}
