package workload

import (
	"context"
	"iter"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
)

// Commit is a client's note of a transaction that the server has acknowledged as committed; or
// of one in doubt, whose connection was lost before the server responded, so that it may have
// been committed or not.
type Commit struct {
	Kind    meter.Kind
	InDoubt bool
	Numbers [5]int32 // the workload's own: by them the audit finds what the transaction left
}

// Accountable is an Executor that can report what its last transaction committed, or may have
// committed. Committed is called after a Do, by the same goroutine, and only if a ledger is kept.
// It returns false if there is nothing to find: a transaction that only reads leaves nothing.
type Accountable interface {
	Committed(t Transaction, inDoubt bool) (c Commit, leaves bool)
}

// Auditor compares acknowledged commits with a database. It has read the state before users
// begin when it was created; from then on only the run may change the data.
type Auditor interface {
	// Audit is called once, when the last user has ended. The session need not be the one
	// that the auditor was made with.
	Audit(ctx context.Context, s database.Session, commits iter.Seq[Commit]) (job.Ledger, error)
}

// NewAuditor makes an auditor for the schema that a session is connected to.
type NewAuditor func(ctx context.Context, s database.Session, sql *sqlfile.Library) (Auditor, error)
