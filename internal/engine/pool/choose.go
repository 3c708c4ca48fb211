package pool

import "math/rand/v2"

// Chooser chooses connections for the transactions of one virtual user. It is not safe for
// concurrent use. Choosing does not allocate.
type Chooser struct {
	table  Table
	random *rand.Rand
	turn   []int // next position of a round robin, by kind
}

// NewChooser returns the chooser of the user with the given number. It has its own random numbers,
// so that the pool does not change the user's transactions.
func NewChooser(t Table, seed uint64, user int) *Chooser {
	// Terminals use the same seed and user, so apart changes the seed.
	const apart = 0x706f6f6c // "pool"
	return &Chooser{table: t, random: rand.New(rand.NewPCG(seed^apart<<32, uint64(user))), turn: make([]int, len(t.Lanes))}
}

// Choose returns the position of the connection for a transaction of a kind, or -1 if all its
// connections are down. Policies skip connections that are down: first and last take the nearest
// connection that is up, and the others choose among those that are up.
func (c *Chooser) Choose(kind int, down []bool) int {
	lane := c.table.Lanes[kind]
	n := len(lane.Connections)
	at, step := 0, 1
	switch lane.Policy {
	case Last:
		at, step = n-1, n-1 // one step back, modulo n
	case Random:
		return c.draw(lane, down)
	case RoundRobin:
		at = c.turn[kind]
	}
	for range n {
		if chosen := lane.Connections[at]; !down[chosen] {
			c.turn[kind] = (at + 1) % n
			return chosen
		}
		at = (at + step) % n
	}
	return -1
}

// draw chooses one of the connections that are up at random.
func (c *Chooser) draw(lane Lane, down []bool) int {
	up := 0
	for _, one := range lane.Connections {
		if !down[one] {
			up++
		}
	}
	if up == 0 {
		return -1
	}
	left := c.random.IntN(up)
	for _, one := range lane.Connections {
		if down[one] {
			continue
		}
		if left == 0 {
			return one
		}
		left--
	}
	return -1
}
