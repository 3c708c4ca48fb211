package workload

import (
	"context"
	"iter"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
)

// Commit is the client's record of a transaction whose commit the server has acknowledged, or that
// is in doubt because the connection was lost before the server responded.
type Commit struct {
	Kind    meter.Kind
	InDoubt bool
	Numbers [5]int32 // set by the workload: they identify the rows that the transaction wrote
}

// Accountable is an Executor that can report what its last transaction committed, or may have
// committed. Committed is called after a Do, by the same goroutine, and only if a ledger is kept.
// It returns false if the transaction wrote nothing.
type Accountable interface {
	Committed(t Transaction, inDoubt bool) (c Commit, leaves bool)
}

// Auditor compares acknowledged commits with a database. NewAuditor reads the state before the
// users begin; from then on only the run may change the data.
type Auditor interface {
	// Audit is called once, when the last user has ended. The session may be another than that of
	// NewAuditor.
	Audit(ctx context.Context, s database.Session, commits iter.Seq[Commit]) (job.Ledger, error)
}

// NewAuditor makes an auditor for the schema that a session is connected to.
type NewAuditor func(ctx context.Context, s database.Session, sql *sqlfile.Library) (Auditor, error)
