package load

import "time"

// Clients holds the options for the asynchronous clients of virtual users. Each client is a
// terminal and a user of the engine, with its own pauses and, unless users share connections, its
// own session. The clients log in one after another, and each works as soon as it has logged in.
// The ramp-up begins after the last log-in, so that the measurement covers all clients.
//
// In the zero value, each virtual user is its only terminal.
type Clients struct {
	PerUser    int           // terminals of each virtual user; 0 means one, the user itself
	LoginDelay time.Duration // between the logins of two clients
	Verbose    bool          // clients report each transaction
}

// LogIn returns the minimum time until all clients have logged in.
func (c Clients) LogIn() time.Duration { return time.Duration(max(0, c.PerUser-1)) * c.LoginDelay }

// Each returns the number of terminals of each virtual user.
func (c Clients) Each() int { return max(1, c.PerUser) }

// Number returns the number of a terminal within its virtual user, from 1, or 0 if virtual users
// have no clients.
func (c Clients) Number(terminal int) int {
	if c.PerUser == 0 {
		return 0
	}
	return terminal%c.PerUser + 1
}

// Title returns the name of a terminal for people.
func (c Clients) Title() string {
	if c.PerUser > 0 {
		return "asynchronous client"
	}
	return "virtual user"
}
