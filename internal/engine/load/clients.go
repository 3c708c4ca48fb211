package load

import "time"

// Clients are the asynchronous clients of virtual users, their terminals: each is a user of the engine,
// with its own pauses and, unless users share connections, its own session. They log in one
// after another while those who have done so work already, and the ramp-up begins when the
// last has: what is measured is all of them.
//
// In the zero value each virtual user is its only terminal.
type Clients struct {
	PerUser    int           // terminals of each virtual user; 0 is one, which is the user itself
	LoginDelay time.Duration // between the logins of two of them
	Verbose    bool          // they say what they do
}

// LogIn is how long it takes at least until all clients have logged in.
func (c Clients) LogIn() time.Duration { return time.Duration(max(0, c.PerUser-1)) * c.LoginDelay }

// Each is how many terminals each virtual user has.
func (c Clients) Each() int { return max(1, c.PerUser) }

// Number is that of a terminal among those of its virtual user, from 1; 0 where virtual users
// have no clients.
func (c Clients) Number(terminal int) int {
	if c.PerUser == 0 {
		return 0
	}
	return terminal%c.PerUser + 1
}

// Title is what people call a terminal.
func (c Clients) Title() string {
	if c.PerUser > 0 {
		return "asynchronous client"
	}
	return "virtual user"
}
