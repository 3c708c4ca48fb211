package workload

import (
	"context"
	"time"

	"sledge/internal/meter"
)

// Users describes the work of virtual users: a terminal decides each transaction, and an executor
// does it on a session.
type Users struct {
	// Survey reads what terminals have to know of a schema, such as how many warehouses
	// there are. Optional.
	Survey func(ctx context.Context, l Look) (any, error)

	// NewTerminal creates the terminal that decides the transactions of a virtual user, in a run
	// with stages once per stage, and NewExecutor prepares a session for the transactions of
	// any terminal.
	NewTerminal func(slot Slot) Terminal
	NewExecutor func(ctx context.Context, c Connection) (Executor, error)

	// NewTrial makes what does transactions in client SQL whatever the options say, each
	// ended by Session.Commit or Session.Rollback, so that they can be tried; or tries
	// itself what they need rights for. Optional.
	NewTrial func(ctx context.Context, c Connection) (Executor, error)

	// Piecemeal reports whether the client sends the statements of a transaction one by one. Optional:
	// nil is never.
	Piecemeal func(options any) bool

	// Finite says that terminals run out of work at some time, and that this ends a run: it has no
	// ramp-up, and measures for as long as the work takes. Executors are Spanners.
	Finite bool

	// Stages names the parts of a finite run, given what Survey found: a part begins when all
	// users have no more work in the one before, on the same connections. Its errors are
	// what the options ask for and this schema, or so many users, cannot do. Optional, and it
	// may return none: a run is one part without a name then.
	Stages func(options any, users int, survey any) ([]string, error)

	// Queries returns the queries of the first set of a slot's terminal, each once: those that are
	// a single statement, which a database can explain. Optional: nil if there are no queries.
	Queries func(slot Slot) []Query

	// Grace is how long users may take to finish their transactions at the end of a run before they
	// are interrupted; 0 means half a minute, which is enough for short transactions.
	Grace time.Duration

	// Pauses describes the pauses of terminals before and after transactions. Optional: nil if
	// terminals never pause.
	Pauses *Pauses

	// Mix describes how often terminals decide on each kind of transaction. Optional: if it is not
	// nil, terminals are KindPickers.
	Mix *Mix
}

// Pauses are the pauses of terminals. A rate leaves no room for them, and asynchronous clients need
// them.
type Pauses struct {
	Option string                 // the option that turns them on
	On     func(options any) bool // whether it does

	// Mean returns the mean pause before and after a transaction of each kind.
	Mean func(options any) []time.Duration

	Limit string // what the standard says of the most that such terminals may do, in words
}

// Mix is how often each kind of transaction is decided on.
type Mix struct {
	// Weights returns the frequency of each kind relative to the others. If kinds lists some, a
	// rate for each of them decides on them, and the weights only say which there are.
	Weights func(options any, kinds []meter.Kind) []float64

	// Option returns the option that was set to weight the kinds; "" if none was. It conflicts with
	// a rate for each kind.
	Option func(options any) string
}
