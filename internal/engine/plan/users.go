package plan

import (
	"fmt"
	"time"

	"sledge/internal/job"
)

// Terminals returns the total number of terminals, which are the users of the engine.
func (p Plan) Terminals() int { return p.Users * p.Pacing.Clients.Each() }

// Position returns the position of a terminal's virtual user.
func (p Plan) Position(terminal int) int { return terminal/p.Pacing.Clients.Each() + p.FirstWorker() }

// NameOf returns the name of a terminal: "virtual user 2, client 7".
func (p Plan) NameOf(terminal int) string {
	name := fmt.Sprintf("virtual user %d", p.Position(terminal))
	if client := p.Pacing.Clients.Number(terminal); client > 0 {
		name += fmt.Sprintf(", client %d", client)
	}
	return name
}

// Monitor returns the position of the monitor, or 0 if the run has none.
func (p Plan) Monitor() int {
	if p.Pacing.Unmonitored() {
		return 0
	}
	return job.Monitor
}

// FirstWorker returns the position of user number 0, after the monitor, if any.
func (p Plan) FirstWorker() int {
	if p.Pacing.Unmonitored() {
		return job.Monitor
	}
	return job.FirstWorker + p.before
}

// ConnectionCount returns the number of connections that the users need.
func (p Plan) ConnectionCount() int {
	if shared := p.Pacing.Connections.Shared; shared > 0 {
		return shared
	}
	return p.Terminals() * p.Pool.Size()
}

// FarOff is longer than any run. Unlike load.Never it can be added to a time.
const FarOff = 100 * 365 * 24 * time.Hour

// Backoff returns the pause before a retry. It is 0 before the first retry, because the other
// transaction of a deadlock has already continued, and grows to 50 ms.
func Backoff(retries int) time.Duration {
	return min(time.Duration(retries-1)*5*time.Millisecond, 50*time.Millisecond)
}
