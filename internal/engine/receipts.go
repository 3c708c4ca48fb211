package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// receipts are what a user holds of what it has committed.
type receipts [][]workload.Receipt

// add adds a receipt. It allocates a page now and then: so long as a ledger is kept, memory
// grows by 28 bytes for each transaction that writes.
func (l *receipts) add(one workload.Receipt) {
	const page = 1024
	last := len(*l) - 1
	if last < 0 || len((*l)[last]) == page {
		*l = append(*l, make([]workload.Receipt, 0, page))
		last++
	}
	(*l)[last] = append((*l)[last], one)
}

// certainty says what is known of a commit.
type certainty bool

const (
	certain certainty = false // the server has acknowledged it
	inDoubt certainty = true  // the connection was lost before the server answered
)

// account notes what the last transaction over a connection has committed, or, in doubt,
// may have, where a ledger is kept.
func (u *user) account(c *connection, t workload.Transaction, is certainty) {
	if u.receipts == nil {
		return
	}
	if receipt, leaves := c.Executor.(workload.Accountable).Receipt(t, is == inDoubt); leaves {
		u.receipts.add(receipt)
	}
}

// keepLedger has what there is before the run read, where a ledger is kept, and has users
// keep theirs.
func (r *run) keepLedger(ctx context.Context, s database.Session) (err error) {
	if !r.plan.Pacing.Ledger {
		return nil
	}
	if r.silence.Share > 0 {
		return job.WithExit(job.ExitUsage, r.plan.Spec.Names.Wrong("ledger", "true", "nobody can know what was acknowledged here: %s", r.silence.Why))
	}
	if r.auditor, err = r.plan.Workload.NewAuditor(ctx, s, r.plan.SQL); err != nil {
		return err
	}
	for _, u := range r.users {
		u.receipts = &receipts{}
	}
	return nil
}

// allReceipts lists what users hold. None of them works any more.
func (r *run) allReceipts() iter.Seq[workload.Receipt] {
	return func(yield func(workload.Receipt) bool) {
		for _, u := range r.users {
			for _, page := range *u.receipts {
				for _, one := range page {
					if !yield(one) {
						return
					}
				}
			}
		}
	}
}

// audit compares the ledger with the database, where one is kept.
func (r *run) audit(ctx context.Context) (*job.Ledger, error) {
	if r.auditor == nil || ctx.Err() != nil {
		return nil, nil
	}
	began := time.Now()
	r.feed.message(r.plan.monitor(), "Comparing the ledger of what was acknowledged with the database")
	var s database.Session
	defer closeQuietly(&s)
	for try := 1; ; try++ {
		err := r.connectAgain(ctx, &s)
		if err != nil { // which has tried for long enough
			return nil, fmt.Errorf("audit the ledger: %w", err)
		}
		ledger, err := r.auditor.Audit(ctx, s, r.allReceipts())
		if err == nil {
			ledger.Seconds = time.Since(began).Seconds()
			return &ledger, nil
		}
		class := r.plan.Database.Classify(err)
		if try == audits || class != meter.Connection && !class.Retryable() || pause(ctx, backoff(try)) != nil {
			return nil, fmt.Errorf("audit the ledger: %w", err)
		}
		r.feed.message(r.plan.monitor(), "The comparison failed and is begun again: %v", err)
	}
}

// audits is how often a ledger is compared with the database, if that fails in a way that may
// pass.
const audits = 3

// lostCommits returns an error where what was acknowledged is not what is there.
func lostCommits(l *job.Ledger) error {
	if l == nil || l.Holds() {
		return nil
	}
	return job.WithExit(job.ExitLost, errors.New(l.Broken()))
}
