package tproch

import (
	"context"

	"sledge/internal/database"
	"sledge/internal/workload"
)

// newTrial verifies the rights that a run needs: it reads each table, and writes if the run has
// refresh functions. It runs none of the 22 queries, because they may take minutes.
func newTrial(ctx context.Context, c workload.Connection) (workload.Executor, error) {
	reads, writes, access := c.SQL.Names("trial.read_"), []string(nil), database.ReadOnly
	if c.Options.(*Options).refreshes() {
		writes, access = c.SQL.Names("trial.write_"), database.ReadWrite
	}
	if err := c.Session.Begin(ctx, access); err != nil {
		return nil, err
	}
	for i, name := range append(reads, writes...) {
		q, err := c.SQL.Query(name)
		switch {
		case err != nil:
		case i < len(reads):
			_, err = c.Session.Query(ctx, q.Text, 1)
		default:
			err = c.Session.Exec(ctx, q.Text)
		}
		if err != nil {
			return nil, err
		}
	}
	return tried{}, c.Session.Rollback(ctx)
}

// tried is an executor that does nothing, because newTrial has tried everything.
type tried struct{}

// Do implements workload.Executor.
func (tried) Do(context.Context, workload.Transaction) error { return nil }
