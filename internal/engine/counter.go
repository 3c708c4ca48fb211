package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/database"
)

// Count reads the server's own count of transactions every so often, until ctx
// ends, and tells each the rate a minute by the time that really passed since the
// reading before. The first rate is 0. What is counted may be anybody's work: the
// schema need not be there.
//
// A server that goes away is tried again at every reading: its error is told
// once, and the first rate after it has come back is 0 again. Where another product
// answers than was chosen, say is told so in a line.
func Count(ctx context.Context, p Plan, every time.Duration, say func(line string), each func(at time.Time, rate float64, err error)) error {
	if p.Server.Counter == nil {
		return fmt.Errorf("%w: %s", ErrNotCounted, p.Database.Title)
	}
	c := counterReader{plan: p, say: say}
	defer c.close()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for told := ""; ; {
		at, rate, err := c.next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			each(at, rate, nil)
			told = ""
		case err.Error() != told:
			each(at, 0, err)
			told = err.Error()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// ErrNotCounted says that a database keeps no count of its transactions.
var ErrNotCounted = errors.New("there is no count of transactions on the server's side")

// counterReader is a session that reads the count, while there is one.
type counterReader struct {
	plan    Plan
	say     func(line string)
	session database.Session
	last    count // the reading before, if there was one
	said    bool  // which product answers
}

// patience bounds how long a reading may take.
const patience = 10 * time.Second

// next reads the count and returns the rate since the reading before.
func (c *counterReader) next(ctx context.Context) (at time.Time, rate float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.session == nil {
		if c.session, err = connect(ctx, c.plan, database.Observer); err != nil {
			c.session = nil
			return time.Now(), 0, err
		}
		c.last = count{}
		if err := c.sayProduct(ctx); err != nil {
			c.close()
			return time.Now(), 0, err
		}
	}
	now, err := c.plan.counter(ctx, c.session)
	if err != nil {
		c.close()
		return time.Now(), 0, fmt.Errorf("read the server's count of transactions: %w", err)
	}
	// A server that began anew behind the same address counts from 0 again.
	if c.last.read && now.n >= c.last.n {
		rate = float64(now.n-c.last.n) / now.at.Sub(c.last.at).Minutes()
	}
	c.last = now
	return now.at, rate, nil
}

func (c *counterReader) sayProduct(ctx context.Context) error {
	if c.said {
		return nil
	}
	product, err := c.plan.otherProduct(ctx, c.session)
	if err != nil {
		return err
	}
	if c.said = true; product != "" {
		c.say(c.plan.answeredBy(product))
	}
	return nil
}

func (c *counterReader) close() {
	if c.session == nil {
		return
	}
	_ = c.session.Close() // a session that cannot be closed cleanly is closed all the same
	c.session = nil
}
