package workload

import (
	"context"
	"iter"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
)

// Receipt is what a client holds of a transaction that the server has acknowledged as
// committed; or of one in doubt, whose connection was lost before the server answered, so
// that it may have been committed or not.
type Receipt struct {
	Kind    meter.Kind
	InDoubt bool
	Numbers [5]int32 // the workload's own: by them the audit finds what the transaction left
}

// Accountable is an Executor that can say what its last transaction has committed, or may
// have. Receipt is called after a Do, by the same goroutine, and only where a ledger is
// kept. It reports whether there is anything to find: a transaction that only reads leaves
// nothing.
type Accountable interface {
	Receipt(t Transaction, inDoubt bool) (r Receipt, leaves bool)
}

// Auditor compares receipts with a database. What the database holds before users
// begin it has read when it was made, and nobody else may change the data from then on.
type Auditor interface {
	// Audit is called once, when the last user has ended. The session need not be the one
	// that the auditor was made with.
	Audit(ctx context.Context, s database.Session, receipts iter.Seq[Receipt]) (job.Ledger, error)
}

// NewAuditor makes an auditor for the schema that a session is connected to.
type NewAuditor func(ctx context.Context, s database.Session, sql *sqlfile.Library) (Auditor, error)
