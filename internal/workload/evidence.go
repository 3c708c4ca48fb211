package workload

import (
	"context"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
)

// Evidence shows whether the counts of a run are true: it compares the client's counts with the
// server's, and acknowledged commits with the rows in the database.
type Evidence struct {
	// Counted is the unit of the rate of the server's own count, which counter.sql reads. The zero
	// value is TPM.
	Counted Throughput

	// Probe is the workload's own count in the database. Optional.
	Probe *Probe

	// Silence says which transactions the server may roll back without an error. Optional.
	Silence func(ctx context.Context, s database.Session, sql *sqlfile.Library, options any) (Silence, error)

	// NewAuditor makes the auditor that compares the ledger of a run with the database. Optional.
	NewAuditor NewAuditor

	// Contention estimates how many virtual users wait for each other, or returns nil if they
	// rarely do. Optional.
	Contention func(ctx context.Context, s database.Session, sql *sqlfile.Library, c Crowd) (*job.Contention, error)
}

// Throughput is a unit of throughput.
type Throughput struct {
	Name  string        // "TPM"
	Means string        // "transactions a minute"
	Per   time.Duration // a minute
}

// TPM is transactions a minute.
var TPM = Throughput{Name: "TPM", Means: "transactions a minute", Per: time.Minute}

// Throughput returns Counted, or TPM if it is the zero value.
func (e Evidence) Throughput() Throughput {
	if e.Counted.Per == 0 {
		return TPM
	}
	return e.Counted
}

// Probe is a count that the workload's tables keep, such as the next order number of each
// district. The workload's probe.sql reads it.
type Probe struct {
	Name string // the transaction that it counts: "new order"

	// Expected returns how many of the transactions in s probe.sql should have counted.
	Expected func(s *meter.Summary) int64
}

// Silence means that routines silently roll back a share of the transactions that the probe
// counts, so the client counts them as done.
type Silence struct {
	Share float64 // 0 if the server reports every rollback
	Why   string  // a sentence
}
