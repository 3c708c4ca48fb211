package pool

import "math/rand/v2"

// Chooser chooses connections for the transactions of one virtual user. Nothing of it is
// shared, and choosing allocates nothing.
type Chooser struct {
	table  Table
	random *rand.Rand
	turn   []int // by kind: the next place in the lane of a round robin
}

// NewChooser returns what chooses for the user of a number. It draws from random numbers
// of its own, so that the user does the same transactions whatever connections it has.
func NewChooser(t Table, seed uint64, user int) *Chooser {
	// The terminals' own numbers come of seed and user alone.
	const apart = 0x706f6f6c // "pool"
	return &Chooser{table: t, random: rand.New(rand.NewPCG(seed^apart<<32, uint64(user))), turn: make([]int, len(t.Lanes))}
}

// Choose returns the place of the connection for a transaction of a kind, or -1 where all
// of those it may go to are down. The policy passes over one that is: first and last take
// the nearest that is up, and the others choose among those that are.
func (c *Chooser) Choose(kind int, down []bool) int {
	lane := c.table.Lanes[kind]
	n := len(lane.Connections)
	at, step := 0, 1
	switch lane.Policy {
	case Last:
		at, step = n-1, n-1 // which is one back
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

// draw draws one of those that are up.
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
