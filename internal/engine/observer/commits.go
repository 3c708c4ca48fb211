package observer

import (
	"context"
	"fmt"
	"iter"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// Commits compares the acknowledged commits with the database after users have ended.
type Commits struct {
	Base
	Auditor      workload.Auditor
	Acknowledged func() iter.Seq[workload.Commit]
	Connect      Connect // retries while a retry can succeed
	MayPass      func(error) bool
	Say          func(line string)

	found *job.Ledger
	err   error
}

// Name implements Observer.
func (c *Commits) Name() string { return "The audit of acknowledged commits" }

// EndsWithin implements Patient. It sets no limit, because lost commits decide the run's verdict.
func (c *Commits) EndsWithin() time.Duration { return 0 }

// audits is the maximum number of attempts if a comparison fails temporarily.
const audits = 3

// End implements Observer.
func (c *Commits) End(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil
	}
	if err := c.audit(ctx); err != nil {
		c.err = fmt.Errorf("audit the ledger: %w", err)
	}
	return nil
}

func (c *Commits) audit(ctx context.Context) error {
	began := time.Now()
	c.Say("Comparing the acknowledged commits with the database")
	var s database.Session
	defer closeQuietly(&s)
	for try := 1; ; try++ {
		closeQuietly(&s)
		var err error
		if s, err = c.Connect(ctx); err != nil {
			s = nil
			return err
		}
		ledger, err := c.Auditor.Audit(ctx, s, c.Acknowledged())
		if err == nil {
			ledger.Seconds = time.Since(began).Seconds()
			c.found = &ledger
			return nil
		}
		if try == audits || !c.MayPass(err) {
			return err
		}
		if try > 1 {
			select {
			case <-time.After(time.Duration(try-1) * 5 * time.Millisecond):
			case <-ctx.Done():
				return err
			}
		}
		c.Say(fmt.Sprintf("The comparison failed and starts again: %v", err))
	}
}

// Err returns the error of the comparison. It may be called after the observer has ended.
func (c *Commits) Err() error {
	if c == nil {
		return nil
	}
	return c.err
}

// Report implements Observer.
func (c *Commits) Report(result *job.Result) { result.Ledger = c.found }
