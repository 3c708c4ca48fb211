package observer

import (
	"context"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// ServerCount reads the server's own count before and after a finite run.
type ServerCount struct {
	Base
	Connect Connect
	Count   func(ctx context.Context, s database.Session) (int64, error)
	Flush   func(ctx context.Context) (own int64) // flushes the statistics of sessions; returns the number of transactions that this took
	Unit    workload.Throughput
	Say     func(line string)

	session database.Session
	n       int64
	at      time.Time
	counted *job.ServerCount
}

// Name implements Observer.
func (c *ServerCount) Name() string { return "The server's own count" }

// Begin implements Observer.
func (c *ServerCount) Begin(ctx context.Context, _ Axis) (err error) {
	if c.session, err = c.Connect(ctx); err == nil {
		c.n, c.at, err = c.read(ctx)
	} else {
		c.session = nil
	}
	if err != nil {
		c.leaveOut(err)
	}
	return nil
}

// leaveOut continues the run without the count.
func (c *ServerCount) leaveOut(err error) {
	closeQuietly(&c.session)
	c.Say(fmt.Sprintf("The server's own count is not in the result: %v", err))
}

// read reads the count. The time of the count is the middle of the read.
func (c *ServerCount) read(ctx context.Context) (n int64, at time.Time, err error) {
	before := time.Now()
	n, err = c.Count(ctx, c.session)
	return n, before.Add(time.Since(before) / 2), err
}

// End implements Observer.
func (c *ServerCount) End(ctx context.Context) error {
	if c.session == nil {
		return nil
	}
	defer closeQuietly(&c.session)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Patience) // even if the run was aborted
	defer cancel()
	own := c.Flush(ctx)
	n, at, err := c.read(ctx)
	if err != nil {
		c.leaveOut(err)
		return nil
	}
	moved, rate := n-c.n, 0.0
	if elapsed := at.Sub(c.at); moved < 0 {
		moved = 0 // the server was restarted
	} else if moved = max(0, moved-own); elapsed > 0 {
		rate = float64(moved) * (float64(c.Unit.Per) / float64(elapsed))
	}
	c.counted = &job.ServerCount{Count: moved, Rate: rate, Unit: c.Unit.Name, Is: c.Unit.Means}
	return nil
}

// Report implements Observer.
func (c *ServerCount) Report(result *job.Result) { result.ServerCount = c.counted }
