package agent

import "time"

// Clock converts times of an agent to times of this process. Both count from a start of their own, by
// monotonic clocks. The zero value knows no offset.
type Clock struct {
	polls [16]difference // the last ones
	n     int
}

// difference is the difference of two clocks as one poll showed it: the agent's minus this process's.
type difference struct{ offset, within time.Duration }

// Add adds a poll that this process sent at t0 and whose answer it received at t3. The agent received
// it at t1 and answered at t2. Impossible times add nothing.
func (c *Clock) Add(t0, t1, t2, t3 time.Duration) {
	within := ((t3 - t0) - (t2 - t1)) / 2
	if t2 < t1 || within < 0 {
		return
	}
	d := difference{((t1 - t0) + (t2 - t3)) / 2, within}
	if best, known := c.best(); known && (best.offset-d.offset).Abs() > best.within+d.within {
		c.n = 0 // a clock stopped or jumped, as in a suspended machine
	}
	c.polls[c.n%len(c.polls)] = d
	c.n++
}

// best returns the most exact difference of the last polls.
func (c *Clock) best() (best difference, known bool) {
	for i, d := range c.polls[:min(c.n, len(c.polls))] {
		if i == 0 || d.within < best.within {
			best = d
		}
	}
	return best, c.n > 0
}

// Here converts a time of the agent. The result is exact to within. It returns false if nothing is
// known about the agent's clock.
func (c *Clock) Here(at time.Duration) (here, within time.Duration, known bool) {
	best, known := c.best()
	return at - best.offset, best.within, known
}
