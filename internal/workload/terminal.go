package workload

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
)

// Slot is what a terminal gets to work with. Nothing in it is shared.
type Slot struct {
	Number  int // this virtual user among all users of the run, from 0
	Users   int // all users of the run, on every machine
	Seed    uint64
	Options any
	Survey  any    // what Survey found
	Stage   string // of the run; "" if it has no stages
	SQL     *sqlfile.Library

	// Rand is seeded with the run's seed and the user's number, so the same seed gives the same
	// transactions with the same inputs, regardless of the database's answers.
	Rand *rand.Rand

	// Tell emits an event and fills in the position of this virtual user.
	Tell func(job.Event)
}

// Crowd is all virtual users of a run.
type Crowd struct {
	Users   int
	Seed    uint64
	Kinds   []meter.Kind // requested of the users; nil if the options decide
	Options any
	Rand    func(number int) *rand.Rand // the state of the Rand of a user's slot before the user draws from it
}

// Connection is what an executor works with. Nothing in it is shared.
type Connection struct {
	Number  int // of this connection among all connections of the run, from 0
	Seed    uint64
	Options any
	Session database.Session
	SQL     *sqlfile.Library

	Users    int                         // all users of the run, on every machine
	Database *database.Database          // its sessions classify and explain errors
	Classify func(err error) meter.Class // the database's

	// Open opens another session of the same account, which the executor closes.
	Open func(ctx context.Context) (database.Session, error)

	// Tell emits an event of the connection's virtual user. On a shared connection it does nothing.
	Tell func(job.Event)

	// Out takes what scripts print; nil for the events of the virtual user.
	Out io.Writer

	// Stopped is closed when no more transactions may begin. A transaction with pauses or several
	// parts checks it and returns ErrStopped.
	Stopped <-chan struct{}

	// Test means that every transaction is shown, so a Teller must keep the database's answers.
	Test bool
}

// Terminal decides the transactions of a virtual user, as TPC-C's emulated terminals do. It only
// computes; it does not use the database.
type Terminal interface {
	// Pick decides the next transaction and its inputs. It returns false when
	// this user has no more work.
	Pick() (Transaction, bool)
}

// KindPicker is a Terminal that can be told which kind of transaction is next.
type KindPicker interface {
	Terminal

	// PickKind is Pick for a kind that the caller chooses.
	PickKind(kind meter.Kind) (Transaction, bool)
}

// Executor runs transactions on one session, for one terminal or for several in turn. It waits for
// nothing but the database, so the time of Do is the response time, and a failed Do can be
// repeated.
//
// If it is an io.Closer, Close is called after its last Do, while the session is still open.
type Executor interface {
	// Do runs the transaction that a terminal decided on, from begin to commit. It returns
	// ErrRolledBack after a rollback that the workload requires. After any other error the engine
	// rolls back, and may call Do again.
	Do(ctx context.Context, t Transaction) error
}

// Teller is an Executor that describes the inputs and the answer of its last transaction in one
// line. Outcome is called after each Do that returned nil, by the same goroutine, and only if
// Connection.Test is set.
type Teller interface{ Outcome() string }

// Pacer is an Executor that may work or pause before a transaction begins. Waited returns how long it did so in the
// last Do, which is not part of the transaction's latency.
type Pacer interface{ Waited() time.Duration }

// Itemizer is an Executor that measures the commands of its transactions. Commands is called after the last Do.
type Itemizer interface{ Commands() []job.Command }

// Spanner is an Executor whose transactions are few and long, so a run reports each of them.
type Spanner interface {
	Executor

	// Span describes what a transaction is part of; after Do, also the number of rows it returned,
	// and its answer if requested.
	Span(t Transaction) Span
}

// Span is the executor's part of a job.Span.
type Span struct {
	Stream, Set, Number, Of int
	Rows                    int64
	Answer                  *job.Answer // without its kind; nil if not requested
}

// Query is a transaction that is one statement, with its parameters in it.
type Query struct {
	Kind   meter.Kind
	Stream int // as in Span
	Text   string
	Err    error // why there is no text
}

// ErrRolledBack means that a transaction ended in a rollback that the workload requires, such as
// TPC-C's unused item number (2.4.1.4).
var ErrRolledBack = errors.New("rolled back as the workload asks")

// Repeat returns an error after which the engine repeats the transaction, although its class alone would not ask for
// that: the workload says so.
func Repeat(err error) error { return &repeated{err} }

type repeated struct{ error }

// Unwrap returns the reason.
func (r *repeated) Unwrap() error { return r.error }

// IsRepeat reports whether an error comes from Repeat.
func IsRepeat(err error) bool {
	_, is := errors.AsType[*repeated](err)
	return is
}

// ErrStopped means that a transaction stopped between two of its parts because the run is ending.
// The parts before are committed.
var ErrStopped = errors.New("stopped because the run is ending")

// Transaction is a decision of Pick.
type Transaction struct {
	Kind             meter.Kind
	Keying, Thinking time.Duration // pauses before and after, not part of the latency
	Unlimited        bool          // not subject to a run's time limit

	// Inputs points to the inputs of the transaction. The terminal owns them and changes them only
	// in its next Pick.
	Inputs any
}
