package database

import (
	"context"
	"time"

	"sledge/internal/doctor"
)

// Server describes the server itself. Members marked optional may be nil.
type Server struct {
	Version  func(ctx context.Context, s Session) (string, error)
	Settings func(ctx context.Context, s Session) (map[string]string, error) // what performance depends on

	// SettingSources returns where those settings were set that are not defaults: "configuration file".
	// Optional.
	SettingSources func(ctx context.Context, s Session) (map[string]string, error)

	// Product returns the name of the server's product. Optional: nil if no other product
	// understands the sessions.
	Product func(ctx context.Context, s Session) (string, error)

	// Pooling returns how a connection pooler between client and server assigns its connections to
	// this session, "" if there is no pooler. Optional.
	Pooling func(s Session) Pooling

	// Name is the server's name for the session: "process 4711". Its last word is the ID in lists of
	// sessions. Optional.
	Name func(ctx context.Context, s Session) (string, error)

	// Steady prepares a session of Sledge's own, such as a monitor's, so that the server's defaults
	// for isolation and time-outs neither fail nor end it. Virtual users keep these defaults.
	// Optional.
	Steady func(ctx context.Context, s Session) error

	// Connection describes the connection in lines, such as its cipher. Optional.
	Connection func(ctx context.Context, s Session) ([]string, error)

	// Counter returns the server's own count of ended transactions, from any starting point.
	// Optional: nil if the database keeps none. If this server keeps none, or hides it from the
	// user, the error is an UncountedError.
	Counter func(ctx context.Context, s Session) (int64, error)

	// CounterOwn is how many transactions each query of a transaction counter adds to Counter.
	CounterOwn int

	// CountsStatements says, in words, what Counter counts when a client sends a transaction
	// statement by statement; such runs do not use Counter. It is "" if Counter always counts
	// transactions.
	CountsStatements string

	// CountsCommits says, in words, that Counter misses statements that commit by themselves; runs with
	// such statements do not use Counter. It is "" if Counter counts them.
	CountsCommits string

	// Disturbances lists what slows the server at this moment and does not belong to the run, such
	// as old snapshots and dead rows. Its error may mean that the user has no right to ask.
	// Optional.
	Disturbances func(ctx context.Context, s Session) ([]Disturbance, error)

	// Background lists work that the server does by itself and that slows a run while it lasts, such
	// as checkpoints. A run reads it once a second and marks on its charts what begins and ends. Its
	// error may mean that the user has no right to ask. Optional.
	Background func(ctx context.Context, s Session) ([]BackgroundWork, error)

	// Activity has the ways to list the sessions that are not idle at this moment, the best first.
	// Optional.
	Activity []Activity

	// Details tells more about the sessions that Activity lists. Optional.
	Details *Details

	// Counters reads the server's own counters, which Runs.Counters describe. A source that the server
	// does not show has an error; the error of Counters means that the session is lost. Optional.
	Counters func(ctx context.Context, s Session) ([]CounterSource, error)

	// CounterRates reads those counters that a run reads once a second. It must take less than a
	// millisecond of the server's time. Optional.
	CounterRates func(ctx context.Context, s Session) ([]CounterRate, error)

	// Readings returns what Runs.Checks read, by section. A section that the user may not read has an
	// error. Checks of machines read these sections: "place" has the bytes of the server's buffer
	// memory, "memory", and of a session's working memory, "each", and "pid" or "pid_file"; if one
	// process serves all sessions, also their maximum, "connections". "paths" has the folders "data"
	// and "log". Optional.
	Readings func(ctx context.Context, s Session) doctor.Readings

	// Statements reads the server's own statistics of statements. Optional.
	Statements *Statements

	// CounterOfAll counts the transactions of all databases of the server together. Optional: nil
	// if Counter does, or if the server keeps no count.
	CounterOfAll func(ctx context.Context, s Session) (int64, error)

	// Tuning changes settings of the server. Optional.
	Tuning *Tuning

	// Explain returns the server's plan of a query without executing it. ExplainTimed executes the
	// query, and the plan has times. Dialect.ReadPlan reads both. Optional: nil if the server
	// explains no plans.
	Explain, ExplainTimed Explainer

	// Calibrate makes one thread of the server compute in a loop, and returns the number of steps
	// and their time by the server's clock. Optional.
	Calibrate func(ctx context.Context, s Session) (steps int64, took time.Duration, err error)

	// Flush makes the server count the session's work at once, if it would otherwise be reported
	// later. Optional.
	Flush func(ctx context.Context, s Session) error
}

// Disturbance slows a server and does not belong to the run.
type Disturbance struct {
	ID      string // the same in each reading
	Lasting bool   // it disturbs only if it lasts through the measured time
	Text    string // in words
}

// BackgroundWork is work that a server does by itself.
type BackgroundWork struct {
	ID    string // the same in each reading
	Began string // in words, for the first reading that has it; "" says nothing
	Ended string // in words, for the first reading that no longer has it; "" says nothing, and means that it has ended at the first

	Name string        // "checkpoint", "vacuum of stock"
	Age  time.Duration // the time since it began; 0 if it is not known
}

// Pooling is how a connection pooler assigns its connections to clients.
type Pooling string

// The ways of pooling, in the words of pgbouncer's pool_mode.
const (
	BySession     Pooling = "session"     // while the client is connected
	ByTransaction Pooling = "transaction" // for a transaction
	ByStatement   Pooling = "statement"   // for one statement; transactions of several statements are impossible
)

// Shares reports whether a client gets another connection for its next transaction or statement.
func (p Pooling) Shares() bool { return p == ByTransaction || p == ByStatement }

// Explainer asks a server for the plan of a query.
type Explainer func(ctx context.Context, s Session, query string) (Table, error)

// UncountedError is the error of a Counter if the server has no count for the user. Runs go on
// without the count and report that.
type UncountedError struct {
	Text string // why there is none, and what the user can do about it
	Err  error  // the server's
}

// Error says why there is no count.
func (e *UncountedError) Error() string { return e.Text }

// Unwrap returns the server's error.
func (e *UncountedError) Unwrap() error { return e.Err }
