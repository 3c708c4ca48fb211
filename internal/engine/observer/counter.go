package observer

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"sledge/internal/database"
)

// Counter polls the server's own count of transactions. It reopens a lost session.
type Counter struct {
	Base
	Connect Connect
	Count   func(ctx context.Context, s database.Session) (int64, error) // an UncountedError ends polling

	session  database.Session
	sessions int // number of lost sessions so far
	newest   atomic.Pointer[Reading]
}

// Reading is the server's count at one time.
type Reading struct {
	N       int64
	At      time.Time
	Session int // number of the session; a new session may use another server
}

// Name implements Observer.
func (c *Counter) Name() string { return "The server's rate" }

// Sample implements Sampler.
func (c *Counter) Sample(ctx context.Context) (err error) {
	defer func() {
		if err != nil && c.session != nil {
			closeQuietly(&c.session)
			c.sessions++
		}
	}()
	if c.session == nil {
		if c.session, err = c.Connect(ctx); err != nil {
			c.session = nil
			return err
		}
	}
	before := time.Now()
	n, err := c.Count(ctx, c.session)
	if _, is := errors.AsType[*database.UncountedError](err); is {
		return ErrOver
	}
	if err == nil {
		c.newest.Store(&Reading{n, before.Add(time.Since(before) / 2), c.sessions})
	}
	return err
}

// End implements Observer.
func (c *Counter) End(context.Context) error {
	closeQuietly(&c.session)
	return nil
}

// Newest returns the newest reading, or nil. It may be called from any goroutine.
func (c *Counter) Newest() *Reading { return c.newest.Load() }
