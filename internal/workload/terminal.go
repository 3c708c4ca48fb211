package workload

import (
	"context"
	"errors"
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
	Stage   string // of the run; "" where it has none
	SQL     *sqlfile.Library

	// Rand is seeded with the run's seed and the user's number, so that the same seed
	// gives the same transactions with the same inputs whatever the database answers.
	Rand *rand.Rand

	// Tell sends an event of this virtual user, whose position it fills in.
	Tell func(job.Event)
}

// Crowd is all virtual users of a run.
type Crowd struct {
	Users   int
	Seed    uint64
	Kinds   []meter.Kind // that are asked of them; nil for what the options say
	Options any
	Rand    func(number int) *rand.Rand // the state of the Rand of a user's slot before the user draws from it
}

// Connection is what an executor is given to work with. All of it is its own.
type Connection struct {
	Number  int // this connection among all of the run, from 0
	Seed    uint64
	Options any
	Session database.Session
	SQL     *sqlfile.Library

	Classify func(err error) meter.Class // the database's

	// Tell sends an event of the virtual user whose connection it is; of one that is
	// shared, nothing.
	Tell func(job.Event)

	// Stopped is closed when no transaction is to begin any more. What takes long by
	// pauses or in parts looks at it, and returns ErrStopped.
	Stopped <-chan struct{}

	// Test says that every transaction is shown, so that a Teller keeps what the
	// database answers.
	Test bool
}

// Terminal is what decides the transactions of a virtual user, as TPC-C's emulated
// terminals do: it computes, and knows no database.
type Terminal interface {
	// Pick decides the next transaction and its inputs. It returns false when
	// this user has no more work.
	Pick() (Transaction, bool)
}

// KindPicker is a Terminal that can be told which kind of transaction is next.
type KindPicker interface {
	Terminal

	// PickKind is Pick for a kind that was decided elsewhere.
	PickKind(kind meter.Kind) (Transaction, bool)
}

// Executor does transactions on one session, those of one terminal or of several in turn.
// It only waits for the database, so Do alone is timed, and a failed Do can simply be
// repeated.
type Executor interface {
	// Do runs the transaction that a terminal decided on, from begin to commit. It
	// returns ErrRolledBack when the workload wanted a rollback and got it. After
	// any other error the engine rolls back, and may call Do again.
	Do(ctx context.Context, t Transaction) error
}

// Teller is an Executor that can say what its last transaction was called with and
// what came back, in one line. Outcome is called after each Do that returned nil,
// by the same goroutine, and only where the connection says that it is a test.
type Teller interface{ Outcome() string }

// Spanner is an Executor whose transactions are few and long, so that a run tells of each.
type Spanner interface {
	Executor

	// Span describes what a transaction is part of; after Do, also the number of rows it returned,
	// and its answer if requested.
	Span(t Transaction) Span
}

// Span is what an executor knows of a transaction: see job.Span.
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

// ErrRolledBack says that a transaction ended in a rollback the workload asks
// for, such as TPC-C's unused item number (2.4.1.4).
var ErrRolledBack = errors.New("rolled back as the workload asks")

// ErrStopped says that a transaction left off between two of its parts, because the run is to
// end: what it had done is committed.
var ErrStopped = errors.New("left off because the run is to end")

// Transaction says what Pick decided.
type Transaction struct {
	Kind             meter.Kind
	Keying, Thinking time.Duration // pauses before and after, not part of the latency
	Unlimited        bool          // it may take as long as it likes, whatever limit a run sets

	// Inputs are what the transaction is called with: a pointer to the terminal's own,
	// which stay as they are until it picks again.
	Inputs any
}
