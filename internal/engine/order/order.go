// Package order has what the coordinator of a run and a generator of its load say to each other, as
// plain data: what the users are to do, what they measured, and how they ended. It knows neither users
// nor a database.
package order

import (
	"context"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// Generator works the users of a run as its coordinator tells it: in this process, or in another one
// that it speaks for. Moments are times since its users began, by its own clock.
//
// Only the coordinator's goroutine calls its methods, except for InFlight, Flush, Stop and Abort, which
// may be called at any time from any goroutine. An error of any method means that the generator is lost, except that of Prepare
// and Start.
type Generator interface {
	// Prepare connects the users of all groups and holds them back. It is called once, and first. The spec
	// of each group says what its users do: it has no other groups beside it.
	Prepare(ctx context.Context, groups []job.Spec) (Roster, error)

	// Start lets the users begin.
	Start(ctx context.Context) error

	// Mark ends a phase of the run, if one is going on, and begins another.
	Mark(ctx context.Context, p Phase) (Mark, error)

	// Reports returns what is told while users work, in order. Ended is the last; the channel is
	// closed after it, or when the generator is lost.
	Reports() <-chan Report

	// InFlight lists the transactions in flight, the longest first.
	InFlight(ctx context.Context) ([]InFlight, error)

	// Flush has the users' sessions report to the server what they did, if it would otherwise learn of it
	// late, and returns what the server has counted of it at least. It takes no longer than a second.
	Flush(ctx context.Context) (Counted, error)

	// Counted returns what the server has counted at most, once it has answered after a flush.
	Counted(ctx context.Context, flush int32) (Counted, error)

	// Cut returns what has ended since the last Cut or Mark, and what is in flight. What ended between
	// two phases is in no phase.
	Cut(ctx context.Context) (Edge, error)

	// Freeze returns the totals. It is called when all users have ended.
	Freeze(ctx context.Context) (Totals, error)

	Stop()  // users finish the transactions in flight and begin no more
	Abort() // transactions in flight are interrupted, and count for nothing
	Close() // disconnects all users; it is called last, also after an error
}

// AnswersWithin is how long a generator may take for an answer, and its users to end once they are aborted.
const AnswersWithin = time.Minute

// Roster says which users are ready.
type Roster struct {
	Users int `json:"users"` // asynchronous clients, if virtual users have them
}

// Phase is a part of a run.
type Phase struct {
	Name   job.Phase     `json:"name"` // "" between two phases, whose transactions are not reported
	Length time.Duration `json:"length_ns"`
}

// Mark is where one phase ends and the next begins.
type Mark struct {
	At   time.Duration `json:"at_ns"`
	Last *Interval     `json:"last,omitempty"` // of the phase that ended; nil if there was none, or it has no rest

	// Claimed is how many scheduled transactions of each group its users have taken, and wait for or
	// have begun.
	Claimed []int64 `json:"claimed,omitempty"`
}

// Report tells of what happens in a generator. One field is set.
type Report struct {
	Interval *Interval `json:"interval,omitempty"`
	LoggedIn bool      `json:"logged_in,omitempty"` // the last asynchronous client has
	Failure  *Failure  `json:"failure,omitempty"`   // the first user that could not go on; the others finish and end
	Ended    *Ended    `json:"ended,omitempty"`
}

// Interval is what was measured in about a second.
type Interval struct {
	Sequence int           `json:"sequence"` // from 1, over all phases
	Phase    job.Phase     `json:"phase"`
	Offset   time.Duration `json:"offset_ns"` // of its end, since the phase began
	At       time.Duration `json:"at_ns"`     // its end

	Groups   []meter.CodedSummary `json:"groups"`
	LoggedIn int                  `json:"clients_logged_in,omitempty"` // asynchronous clients

	// Waiting are the transactions in flight, the longest first. It is given if nothing ended in the
	// interval, because it takes a look at each user.
	Waiting []InFlight `json:"waiting,omitempty"`

	LastFailure string `json:"last_failure,omitempty"` // of a transaction, in any interval
}

// Ended returns how many transactions ended, of all groups.
func (i *Interval) Ended() (n int64) {
	for _, g := range i.Groups {
		n += g.Ended()
	}
	return n
}

// InFlight is a transaction that has not ended.
type InFlight struct {
	Group      int           `json:"group"`
	User       int           `json:"user"` // of the group, from 0: the number of the asynchronous client, if there are any
	Kind       meter.Kind    `json:"kind"`
	Scheduled  time.Duration `json:"scheduled_ns"`         // when it was to start
	Connected  bool          `json:"connected,omitempty"`  // it does not wait for a connection
	Connection string        `json:"connection,omitempty"` // what the server calls the session; "" if it has no name for it
	Took       time.Duration `json:"took_ns"`              // response time so far, or in the end
	Aborted    bool          `json:"aborted,omitempty"`    // it never ended
}

// Counted is what a reading of the server's count of transactions holds of the users' work.
type Counted struct {
	Flush   int32 `json:"flush,omitempty"` // its number; 0 if none was asked for
	Told    int64 `json:"told"`            // flushes that were done, which are transactions, too
	Telling int64 `json:"telling"`         // flushes that were begun

	// Age is how long before this moment sessions were flushed, on average.
	Age time.Duration `json:"age_ns,omitempty"`

	Places []Tally `json:"places"` // by connections of the pool; else one for all
}

// Tally counts transactions since users logged in.
type Tally struct {
	Ended     int64 `json:"ended"`
	Succeeded int64 `json:"succeeded"` // or were rolled back as the workload asks
	Tried     int64 `json:"tried"`     // with those that failed
}

// Add adds other to t.
func (t *Tally) Add(other Tally) {
	t.Ended += other.Ended
	t.Succeeded += other.Succeeded
	t.Tried += other.Tried
}

// Edge is what users did while a count of the server's was read, by groups. It has no histograms.
type Edge struct {
	Ended    []meter.CodedSummary `json:"ended"`
	InFlight []meter.CodedSummary `json:"in_flight"` // as if it were done; it has a connection
}

// Totals are the counts of a run, which do not change any more.
type Totals struct {
	Elapsed  time.Duration  `json:"elapsed_ns"`   // the measured time
	Client   job.ClientLoad `json:"client"`       // of the machine, in the measured time
	AtServer bool           `json:"at_server"`    // the generator's machine is the server's
	Groups   []GroupTotals  `json:"group_totals"` // as they were prepared
}

// GroupTotals are those of a group. What the run did not need is nil.
type GroupTotals struct {
	Summary meter.Summary  `json:"summary"`           // of the measured time; at a rate, of what was scheduled in it
	ByEnd   *meter.Summary `json:"by_end,omitempty"`  // at a rate, of what ended in the measured time
	Earlier int64          `json:"earlier,omitempty"` // at a rate, transactions of ByEnd that were scheduled before
	Gaps    meter.Stalls   `json:"gaps"`
	Flow    meter.Flow     `json:"flow"`

	StartLag     meter.CodedHistogram   `json:"start_lag,omitempty"`
	KindStartLag []meter.CodedHistogram `json:"kind_start_lag,omitempty"` // of each kind that has a rate
	Queueing     meter.CodedHistogram   `json:"queueing,omitempty"`

	Steps       []meter.CodedSummary `json:"steps,omitempty"`
	Places      []meter.Summary      `json:"places,omitempty"`      // by connections of the pool
	PlaceUsers  [][]int64            `json:"place_users,omitempty"` // what each user did over the pool, by kinds
	PlaceLosses []PlaceLoss          `json:"place_losses,omitempty"`
	PerUser     []meter.CodedSummary `json:"per_user,omitempty"`
	RampUp      []meter.CodedSummary `json:"ramp_up_per_user,omitempty"`

	InFlight []InFlight          `json:"in_flight,omitempty"` // when the time was up, the longest first
	Idle     job.IdleUsers       `json:"idle"`
	Failures []job.LastFailure   `json:"failures,omitempty"`
	Losses   []time.Duration     `json:"losses,omitempty"`  // when connections were lost
	Commits  [][]workload.Commit `json:"commits,omitempty"` // acknowledged
	Spans    []job.Span          `json:"spans,omitempty"`
}

// Counts returns the transactions that ended in the measured time.
func (t *GroupTotals) Counts() meter.Summary {
	if t.ByEnd != nil {
		return *t.ByEnd
	}
	return t.Summary
}

// PlaceLoss is the losses of a connection of the pool.
type PlaceLoss struct {
	Sessions int       `json:"sessions"`
	Back     int       `json:"back"`           // sessions that were made again
	First    time.Time `json:"first,omitzero"` // when one was lost first
	Last     time.Time `json:"last,omitzero"`  // when one was there again last
	Why      string    `json:"why,omitempty"`  // of the first
}

// Ended says that all users have ended.
type Ended struct {
	At time.Duration `json:"at_ns"`
}

// Failure is why a user could not go on.
type Failure struct {
	User  int        `json:"user,omitempty"` // its position; 0 if it was not a user
	Text  string     `json:"text"`
	Exit  job.Exit   `json:"exit"`
	Fault *job.Fault `json:"fault,omitempty"` // a bug in Sledge
}

// Error implements error.
func (f *Failure) Error() string { return f.Text }

// Unwrap returns the fault, if it was one.
func (f *Failure) Unwrap() error {
	if f.Fault == nil {
		return nil
	}
	return f.Fault
}
