// Package order defines the messages between the coordinator of a run and a generator of its load,
// as plain data: the work of the users, the measurements, and how the users ended. It knows neither
// users nor a database.
package order

import (
	"context"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// Generator runs the users of a run as its coordinator demands, in this process or in another.
// Times count from when its users began, by its own clock.
//
// Only the coordinator's goroutine calls its methods, except InFlight, Locate, Flush, Stop and Abort, which
// may be called at any time from any goroutine. An error of any method except Prepare and Start
// means that the generator is lost.
type Generator interface {
	// Prepare connects the users. They do not begin before Start. It is called once, and first.
	Prepare(ctx context.Context, groups []job.Spec) (Roster, error)

	// Start starts the users.
	Start(ctx context.Context) error

	// Mark ends the current phase of the run, if any, and begins another.
	Mark(ctx context.Context, p Phase) (Mark, error)

	// Reports returns the events that occur while users work, in order. Ended is the last. The
	// channel is closed after it, or when the generator is lost.
	Reports() <-chan Report

	// InFlight lists the transactions in flight, the longest first.
	InFlight(ctx context.Context) ([]InFlight, error)

	// Locate finds the transactions to which sessions of the server belonged a moment ago.
	Locate(ctx context.Context, seen Sightings) (Located, error)

	// Flush makes the users' sessions report their work to the server, if the server would
	// otherwise learn of it late. It returns the minimum that the server has counted of that work.
	// It takes at most a second.
	Flush(ctx context.Context) (Counted, error)

	// Counted returns the maximum that the server has counted. It is called after a flush, when the
	// server has responded.
	Counted(ctx context.Context, flush int32) (Counted, error)

	// Cut returns the transactions that ended since the last Cut or Mark, and those in flight.
	// Transactions that ended between two phases belong to no phase.
	Cut(ctx context.Context) (Edge, error)

	// Freeze returns the totals. It is called after all users have ended.
	Freeze(ctx context.Context) (Totals, error)

	Stop()  // users finish the transactions in flight and begin no others
	Abort() // transactions in flight are interrupted, and are not counted
	Close() // disconnects all users; it is called last, also after an error
}

// AnswersWithin is the time limit for a generator to respond, and for its users to end after Abort.
const AnswersWithin = time.Minute

// Roster describes the users that are ready.
type Roster struct {
	Users int `json:"users"` // asynchronous clients, if virtual users have them
}

// Phase is a part of a run.
type Phase struct {
	Name   job.Phase     `json:"name"` // "" between two phases; its transactions are not reported
	Length time.Duration `json:"length_ns"`
}

// Mark is the boundary between two phases.
type Mark struct {
	At   time.Duration `json:"at_ns"`
	Last *Interval     `json:"last,omitempty"` // last interval of the phase that ended; nil if there is none

	// Claimed is the number of scheduled transactions of each group that users have claimed,
	// including those that have not started.
	Claimed []int64 `json:"claimed,omitempty"`
}

// Report is an event in a generator. Exactly one field is set.
type Report struct {
	Interval *Interval `json:"interval,omitempty"`
	LoggedIn bool      `json:"logged_in,omitempty"` // the last asynchronous client has logged in
	Failure  *Failure  `json:"failure,omitempty"`   // the first user that could not continue; the others finish and end
	Ended    *Ended    `json:"ended,omitempty"`
}

// Interval holds the measurements of about one second.
type Interval struct {
	Sequence int           `json:"sequence"` // from 1, over all phases
	Phase    job.Phase     `json:"phase"`
	Offset   time.Duration `json:"offset_ns"` // end of the interval, since the phase began
	At       time.Duration `json:"at_ns"`     // end of the interval

	Groups   []meter.CodedSummary `json:"groups"`
	LoggedIn int                  `json:"clients_logged_in,omitempty"` // asynchronous clients

	// Waiting are the transactions in flight, the longest first. It is set only if no transaction
	// ended in the interval, because collecting it visits each user.
	Waiting []InFlight `json:"waiting,omitempty"`

	LastFailure string `json:"last_failure,omitempty"` // last failure of a transaction, in any interval
}

// Ended returns the number of ended transactions of all groups.
func (i *Interval) Ended() (n int64) {
	for _, g := range i.Groups {
		n += g.Ended()
	}
	return n
}

// InFlight is a transaction that has not ended.
type InFlight struct {
	Group      int           `json:"group"`
	User       int           `json:"user"` // position in the group, from 0; the number of the asynchronous client, if there are any
	Kind       meter.Kind    `json:"kind"`
	Scheduled  time.Duration `json:"scheduled_ns"`         // scheduled start
	Connected  bool          `json:"connected,omitempty"`  // it has a connection
	Connection string        `json:"connection,omitempty"` // the server's name of the session; "" if it has none
	Took       time.Duration `json:"took_ns"`              // response time so far, or at its end
	Aborted    bool          `json:"aborted,omitempty"`    // it was interrupted
}

// Sightings are the sessions that a sampler has seen at work on the server. Times are those of the
// coordinator's clock, of the last second.
type Sightings struct {
	At       time.Time     `json:"at"`       // the moment of the sample
	From     time.Time     `json:"from"`     // the moment is not before this
	To       time.Time     `json:"to"`       // and not after this
	Slack    time.Duration `json:"slack_ns"` // the greatest error of At and of Since
	Sessions []Sighting    `json:"sessions"`
}

// Sighting is a session that a sampler has seen.
type Sighting struct {
	ID    string    `json:"id"`    // in the server's lists
	Since time.Time `json:"since"` // a time at which it did the same; At if no earlier one is known
}

// Located are the transactions in flight at the moment of a sample. A transaction in flight has a
// connection; while it pauses before another try, it is not in flight.
type Located struct {
	InFlight [][]int64  `json:"in_flight"` // their numbers by group and kind
	Sessions []Location `json:"sessions"`  // one for each sighting
}

// Location says what the session of a sighting did for its user.
type Location struct {
	Join    Join       `json:"join,omitempty"`
	Group   int        `json:"group,omitempty"`
	Kind    meter.Kind `json:"kind,omitempty"`
	Counted bool       `json:"counted,omitempty"` // InFlight contains its transaction
}

// Join says how well the transaction of a session is known.
type Join string

// The joins. A session without a join belongs to no user.
const (
	NoTransaction Join = "none"    // its user was in no transaction, or in one that is not found
	Likely        Join = "likely"  // of several during the sample, by the time
	Certain       Join = "certain" // in flight from the request of the sample to its answer
)

// Counted is the users' work that a reading of the server's transaction count contains.
type Counted struct {
	Flush    int32 `json:"flush,omitempty"` // number of the flush request; 0 if there was none
	Flushed  int64 `json:"flushed"`         // completed flushes; each is a transaction too
	Flushing int64 `json:"flushing"`        // begun flushes

	// Age is the mean time since the sessions were flushed.
	Age time.Duration `json:"age_ns,omitempty"`

	PerConnection []Tally `json:"per_connection"` // one for each connection of the pool; otherwise one for all
}

// Tally counts transactions since users logged in.
type Tally struct {
	Ended     int64 `json:"ended"`
	Succeeded int64 `json:"succeeded"` // including rollbacks that the workload asks for
	Tried     int64 `json:"tried"`     // including those that failed
}

// Add adds other to t.
func (t *Tally) Add(other Tally) {
	t.Ended += other.Ended
	t.Succeeded += other.Succeeded
	t.Tried += other.Tried
}

// Edge holds the users' work during a reading of the server's count, by group. It has no
// histograms.
type Edge struct {
	Ended    []meter.CodedSummary `json:"ended"`
	InFlight []meter.CodedSummary `json:"in_flight"` // transactions in flight that have a connection, counted as ended
}

// Totals are the final counts of a run.
type Totals struct {
	Elapsed  time.Duration  `json:"elapsed_ns"`   // the measured time
	Client   job.ClientLoad `json:"client"`       // load of the machine, in the measured time
	AtServer bool           `json:"at_server"`    // the generator runs on the server's machine
	Groups   []GroupTotals  `json:"group_totals"` // as they were prepared
}

// GroupTotals are the final counts of a group. Fields that the run did not need are nil.
type GroupTotals struct {
	Summary meter.Summary  `json:"summary"`           // of the measured time; at a rate, transactions scheduled in it
	ByEnd   *meter.Summary `json:"by_end,omitempty"`  // at a rate, transactions that ended in the measured time
	Earlier int64          `json:"earlier,omitempty"` // at a rate, transactions of ByEnd that were scheduled before the measured time
	Gaps    meter.Stalls   `json:"gaps"`
	Flow    meter.Flow     `json:"flow"`

	StartLag     meter.CodedHistogram   `json:"start_lag,omitempty"`
	KindStartLag []meter.CodedHistogram `json:"kind_start_lag,omitempty"` // one for each kind that has a rate
	Queueing     meter.CodedHistogram   `json:"queueing,omitempty"`

	Steps            []meter.CodedSummary `json:"steps,omitempty"`
	PerConnection    []meter.Summary      `json:"per_connection,omitempty"` // one for each connection of the pool
	PoolUsers        [][]int64            `json:"pool_users,omitempty"`     // transactions of each user over the pool, by kind
	ConnectionLosses []ConnectionLoss     `json:"connection_losses,omitempty"`
	PerUser          []meter.CodedSummary `json:"per_user,omitempty"`
	RampUp           []meter.CodedSummary `json:"ramp_up_per_user,omitempty"`

	InFlight []InFlight          `json:"in_flight,omitempty"` // at the end of the measured time, the longest first
	Idle     job.IdleUsers       `json:"idle"`
	Failures []job.LastFailure   `json:"failures,omitempty"`
	Losses   []time.Duration     `json:"losses,omitempty"`  // when connections were lost
	Commits  [][]workload.Commit `json:"commits,omitempty"` // acknowledged commits
	Commands []job.Command       `json:"commands,omitempty"`
	Spans    []job.Span          `json:"spans,omitempty"`
}

// Counts returns the transactions that ended in the measured time.
func (t *GroupTotals) Counts() meter.Summary {
	if t.ByEnd != nil {
		return *t.ByEnd
	}
	return t.Summary
}

// ConnectionLoss describes the losses of a connection of the pool.
type ConnectionLoss struct {
	Sessions int       `json:"sessions"`
	Back     int       `json:"back"`           // sessions that were reopened
	First    time.Time `json:"first,omitzero"` // time of the first loss
	Last     time.Time `json:"last,omitzero"`  // time of the last reopening
	Why      string    `json:"why,omitempty"`  // cause of the first loss
}

// Ended reports that all users have ended.
type Ended struct {
	At time.Duration `json:"at_ns"`
}

// Failure is why a user could not continue.
type Failure struct {
	User  int        `json:"user,omitempty"` // position of the user; 0 if no user failed
	Text  string     `json:"text"`
	Exit  job.Exit   `json:"exit"`
	Fault *job.Fault `json:"fault,omitempty"` // a bug in Sledge
}

// Error implements error.
func (f *Failure) Error() string { return f.Text }

// Unwrap returns the fault, if there was one.
func (f *Failure) Unwrap() error {
	if f.Fault == nil {
		return nil
	}
	return f.Fault
}
