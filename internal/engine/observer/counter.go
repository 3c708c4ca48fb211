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

	session reopened
	newest  atomic.Pointer[Reading]
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
func (c *Counter) Sample(ctx context.Context) error {
	return c.session.use(ctx, c.Connect, func(s database.Session) error {
		before := time.Now()
		n, err := c.Count(ctx, s)
		if _, is := errors.AsType[*database.UncountedError](err); is {
			return ErrOver
		}
		if err == nil {
			c.newest.Store(&Reading{n, before.Add(time.Since(before) / 2), c.session.lost})
		}
		return err
	})
}

// End implements Observer.
func (c *Counter) End(context.Context) error {
	closeQuietly(&c.session.open)
	return nil
}

// Newest returns the newest reading, or nil. It may be called from any goroutine.
func (c *Counter) Newest() *Reading { return c.newest.Load() }
