package experiment

import "time"

// Clock measures the steps of an experiment: its runs, or pairs of runs.
type Clock struct {
	limit       time.Duration // 0 for none
	began, last time.Time
	longest     time.Duration
	steps       int
}

// NewClock starts a clock. limit is the time within which the experiment should end; 0 means none.
func NewClock(limit time.Duration) *Clock {
	now := time.Now()
	return &Clock{limit: limit, began: now, last: now}
}

// Step says that a step has ended.
func (c *Clock) Step() {
	now := time.Now()
	c.longest = max(c.longest, now.Sub(c.last))
	c.last, c.steps = now, c.steps+1
}

// Over reports whether another step, as long as the longest one, would end after the limit.
func (c *Clock) Over() bool {
	return c.limit > 0 && c.last.Sub(c.began)+c.longest > c.limit
}

// Left estimates the time of further steps from the mean of the ended ones. It returns 0 before the
// first one has ended.
func (c *Clock) Left(steps int) time.Duration {
	if c.steps == 0 {
		return 0
	}
	return c.last.Sub(c.began) / time.Duration(c.steps) * time.Duration(steps)
}
