// Package tasks keeps what a server does beside its answers: a bounded list of tasks, and a condition
// that those who follow one wait for. It knows no task itself.
package tasks

import (
	"context"
	"sync"
)

// Cond is a lock with a condition, like a sync.Cond whose waits end with their contexts, too. The
// lock guards what the condition is about. The zero value is ready to use.
type Cond struct {
	sync.Mutex
	changed chan struct{} // Broadcast closes it; nil while no goroutine waits
}

// Broadcast wakes all that wait. The lock must be held.
func (c *Cond) Broadcast() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Wait unlocks, waits for a Broadcast or for the end of ctx, whose error it returns, and locks
// again. The lock must be held.
func (c *Cond) Wait(ctx context.Context) error {
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	changed := c.changed
	c.Unlock()
	defer c.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
