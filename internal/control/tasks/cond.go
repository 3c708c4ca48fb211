// Package tasks keeps the tasks of a server that continue after the response to a request: a
// bounded list of tasks, and a condition for goroutines that follow a task. It knows no particular
// task.
package tasks

import (
	"context"
	"sync"
)

// Cond is a lock with a condition, like sync.Cond, but its waits also end with a context. The lock
// guards the state that the condition depends on. The zero value is ready to use.
type Cond struct {
	sync.Mutex
	changed chan struct{} // Broadcast closes it; nil while no goroutine waits
}

// Broadcast wakes all goroutines that wait. The caller holds the lock.
func (c *Cond) Broadcast() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Wait unlocks, waits for a Broadcast or for the end of ctx, and locks again. It returns the error
// of ctx. The caller holds the lock.
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
