package workload

import (
	"context"
	"time"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
)

// Users describes the work of virtual users: a terminal decides each transaction, and an executor
// does it on a session.
type Users struct {
	// Survey reads what terminals must know about the schema, such as the number of warehouses.
	// Optional.
	Survey func(ctx context.Context, l Look) (any, error)

	// NewTerminal creates the terminal that decides the transactions of a virtual user; a run with
	// stages creates one per stage. NewExecutor prepares a session for the transactions of any
	// terminal.
	NewTerminal func(slot Slot) Terminal
	NewExecutor func(ctx context.Context, c Connection) (Executor, error)

	// NewTrial returns an executor of client SQL for a trial of each transaction before the run,
	// whatever the options choose: its transactions end with Session.Commit or Session.Rollback, so
	// the trial can roll them back. It may instead verify the needed rights itself. Optional.
	NewTrial func(ctx context.Context, c Connection) (Executor, error)

	// Piecemeal reports whether the client sends the statements of a transaction one by one.
	// Optional: nil means that it never does.
	Piecemeal func(options any) bool

	// Autocommits reports whether some statements are committed by themselves, without COMMIT.
	// Optional: nil means that it never does.
	Autocommits func(options any) bool

	// Blocking means that transactions wait for something other than the database, such as a pause or a program,
	// so that users cannot share event loops.
	Blocking bool

	// Finite means that a run ends when its terminals have no more work. It has no ramp-up and is
	// measured until the work is done. Executors are Spanners.
	Finite bool

	// Stages names the stages of a finite run, given the result of Survey. A stage begins when no
	// user has work left in the previous one; connections stay open. It returns an error if the
	// schema or the number of users does not fit the options. Optional. Without stages the run has
	// a single, unnamed one.
	Stages func(options any, users int, survey any) ([]string, error)

	// Queries returns the queries of the first set of a slot's terminal, each once: those that are
	// a single statement, which a database can explain. Optional: nil if there are no queries.
	Queries func(slot Slot) []Query

	// AnyLength means that transactions may take any time, as analytic queries do: a long one is not a
	// stall.
	AnyLength bool

	// Grace is how long users may take to finish their transactions at the end of a run before they
	// are interrupted; 0 means half a minute, which is enough for short transactions.
	Grace time.Duration

	// Pauses describes the pauses of terminals before and after transactions. Optional: nil if
	// terminals never pause.
	Pauses *Pauses

	// Mix describes how often terminals pick each kind of transaction. Optional: if it is not
	// nil, terminals are KindPickers.
	Mix *Mix

	// Answers returns what a server would answer to the statements of Survey and of executors, by
	// their names in the SQL: see database.StandIn. It is nil if there are none for this SQL.
	// Optional.
	Answers func(sql *sqlfile.Library) map[string]database.Answer
}

// Pauses are the pauses of terminals. They conflict with a rate, and asynchronous clients require
// them.
type Pauses struct {
	Option string                 // the option that turns pauses on
	On     func(options any) bool // whether it is on

	// Mean returns the mean pause before and after a transaction of each kind.
	Mean func(options any) []time.Duration

	Limit string // the standard's limit for such terminals, as a sentence
}

// Mix describes how often terminals pick each kind of transaction.
type Mix struct {
	// Weights returns the frequency of each kind relative to the others. If kinds is not nil, each
	// listed kind has its own rate, and the weights only show which kinds occur.
	Weights func(options any, kinds []meter.Kind) []float64

	// Option returns the option that was set to weight the kinds, or "". It conflicts with a rate
	// for each kind.
	Option func(options any) string
}
