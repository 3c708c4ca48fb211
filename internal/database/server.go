package database

import (
	"context"
	"time"
)

// Server describes the server itself. Members marked optional may be nil.
type Server struct {
	Version  func(ctx context.Context, s Session) (string, error)
	Settings func(ctx context.Context, s Session) (map[string]string, error) // what performance depends on

	// Product names the server's product, where another than the one that was chosen
	// may answer. Optional.
	Product func(ctx context.Context, s Session) (string, error)

	// Pooling returns how a connection pooler between client and server assigns its connections to
	// this session, "" if there is no pooler. Optional.
	Pooling func(s Session) Pooling

	// Name is what the server calls the session: "process 4711". Optional.
	Name func(ctx context.Context, s Session) (string, error)

	// Steady sets a session right that Sledge needs for itself, such as a monitor's, which must
	// neither fail nor end by what the server sets for everybody: isolation, time-outs.
	// Virtual users work by what the server sets. Optional.
	Steady func(ctx context.Context, s Session) error

	// Connection says in lines what the connection is like: which cipher it has.
	// Optional.
	Connection func(ctx context.Context, s Session) ([]string, error)

	// Counter is the server's own count of the transactions that it has ended, since
	// any moment. Optional: nil where it keeps none. Where it turns out that this server
	// keeps none, or does not show it to the user, its error is an UncountedError.
	Counter func(ctx context.Context, s Session) (int64, error)

	// CountsStatements says what Counter counts, where that is a transaction only if the client sends it in
	// one piece: a run that sends statements goes without. "" where it counts transactions.
	CountsStatements string

	// Disturbances lists what slows the server at this moment and is not of the run, such as old snapshots
	// and dead rows. Its error may mean that the user has no right to know. Optional.
	Disturbances func(ctx context.Context, s Session) ([]Disturbance, error)

	// CounterOfAll counts those of all databases of the server together. Optional: nil where
	// Counter does, and where there is none.
	CounterOfAll func(ctx context.Context, s Session) (int64, error)

	// Explain returns how the server would answer a query, as it says it itself, and does
	// not execute it. ExplainTimed executes the query, and the answer has times. Both are
	// read by Database.ReadPlan. Optional: nil where the server does not say it.
	Explain, ExplainTimed Explainer

	// Calibrate has one thread of the server compute in a loop, and returns how many steps it has
	// done and how long they took by its own clock. Optional.
	Calibrate func(ctx context.Context, s Session) (steps int64, took time.Duration, err error)

	// Flush has the server count at once what the session has done, where it would
	// otherwise learn of it late. Optional.
	Flush func(ctx context.Context, s Session) error
}

// Disturbance is something that slows a server and is not of the run.
type Disturbance struct {
	ID      string // the same in each reading
	Lasting bool   // it disturbs only if it lasts for all of the measured time
	Text    string // in words
}

// Pooling is how a connection pooler assigns its connections to clients.
type Pooling string

// The ways of pooling, in the words of pgbouncer's pool_mode.
const (
	BySession     Pooling = "session"     // while the client is connected
	ByTransaction Pooling = "transaction" // for a transaction
	ByStatement   Pooling = "statement"   // for a statement; there are no transactions of several
)

// Shares reports whether a client gets another connection for its next transaction or statement.
func (p Pooling) Shares() bool { return p == ByTransaction || p == ByStatement }

// Report is how a server reports on itself while a run is measured.
type Report struct {
	Title   string // what the server calls it: "MONREPORT"
	LeftOut string // why it makes none, though the options ask for it; "" where it does

	// Make is called when the measured time begins, in a session of its own, and returns the
	// text. The channel over is closed when the measured time is, for a server whose report is
	// of two moments. Make ends soon after ctx does.
	Make func(ctx context.Context, s Session, over <-chan struct{}) (text string, err error)
}

// Explainer asks a server for the plan of a query.
type Explainer func(ctx context.Context, s Session, query string) (Table, error)

// UncountedError is that of a Counter whose server has no count for the user. Work goes on without it, and
// says so.
type UncountedError struct {
	Text string // why there is none, and what may be done about it
	Err  error  // the server's
}

// Error says why there is no count.
func (e *UncountedError) Error() string { return e.Text }

// Unwrap returns what the server said.
func (e *UncountedError) Unwrap() error { return e.Err }
