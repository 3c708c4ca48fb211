package plan

import (
	"fmt"
	"time"

	"sledge/internal/job"
)

// Terminals is how many there are in all: the users of the engine.
func (p Plan) Terminals() int { return p.Users * p.Pacing.Clients.Each() }

// Position is that of the virtual user whom a terminal belongs to.
func (p Plan) Position(terminal int) int { return terminal/p.Pacing.Clients.Each() + p.FirstWorker() }

// NameOf names a terminal: "virtual user 2, client 7".
func (p Plan) NameOf(terminal int) string {
	name := fmt.Sprintf("virtual user %d", p.Position(terminal))
	if client := p.Pacing.Clients.Number(terminal); client > 0 {
		name += fmt.Sprintf(", client %d", client)
	}
	return name
}

// Monitor is the position of the monitor, or 0 if the run has no monitor.
func (p Plan) Monitor() int {
	if p.Pacing.Unmonitored() {
		return 0
	}
	return job.Monitor
}

// FirstWorker is the position of user number 0: after the monitor, where there is one.
func (p Plan) FirstWorker() int {
	if p.Pacing.Unmonitored() {
		return job.Monitor
	}
	return job.FirstWorker + p.before
}

// ConnectionCount is how many the users need.
func (p Plan) ConnectionCount() int {
	if shared := p.Pacing.Connections.Shared; shared > 0 {
		return shared
	}
	return p.Terminals() * p.Pool.Size()
}

// FarOff is after the end of any run, and can be added to a moment.
const FarOff = 100 * 365 * 24 * time.Hour

// Backoff is nothing before the first retry, because the other party to a
// deadlock has gone on by then, and grows to 50 ms after that.
func Backoff(retries int) time.Duration {
	return min(time.Duration(retries-1)*5*time.Millisecond, 50*time.Millisecond)
}
