package job

import (
	"fmt"
	"time"

	"sledge/internal/meter"
)

// NotValid begins the reason of a run that is Invalid.
const NotValid = "the run is not valid: "

// Result is how a job ended. No document has the members that are tagged hidden: they are for who
// did the job, and who keeps it, as Brief says.
type Result struct {
	Status Status `json:"status"`
	Reason string `json:"reason,omitempty"` // why, when it did not succeed

	// InvalidBy is the check that makes the run invalid, by the name that reports give it: "Counts".
	// It is "" where no check of a report says the reason, too.
	InvalidBy string `json:"invalid_by,omitempty"`

	Metrics []Metric  `json:"metrics,omitempty"`
	Line    string    `json:"line,omitempty"` // the headline as another program printed it; "" of Sledge's own jobs
	Users   int       `json:"users,omitempty"`
	Clients int       `json:"clients,omitempty"` // asynchronous ones of each virtual user; 0 if users have no such clients
	Started time.Time `json:"started,omitzero"`  // of the measurement, or else of the job
	Elapsed float64   `json:"elapsed_seconds,omitempty"`

	// P99 is the 99th percentile of the response times of all transactions, in seconds; 0 if
	// no transaction was done.
	P99 float64 `json:"p99_seconds,omitempty"`

	// Remarks say what has to be known of the metrics, and why one is missing.
	Remarks []string `json:"remarks,omitempty"`

	// Unrecorded says why not all of the job is in the repository; "" where all is. What was
	// measured is whole all the same.
	Unrecorded string `json:"unrecorded,omitempty"`

	Summary meter.Summary `json:"summary,omitzero" hidden:"true" jsonschema:"-"` // of the measurement
	Kinds   []string      `json:"kinds,omitempty"`

	// PerUser holds what each virtual user measured, user number 0 first, whose
	// position is 2; only where a time profile was asked for. RampUpPerUser is the same of
	// the ramp-up, where there was one.
	PerUser       []meter.CodedSummary `json:"per_user,omitempty" hidden:"true" jsonschema:"-"`
	RampUpPerUser []meter.CodedSummary `json:"ramp_up_per_user,omitempty" hidden:"true" jsonschema:"-"`

	// ServerCount is what the server counted by itself while users worked, of a run that
	// ends when its work is done; nil where it keeps no count. It counts what others have it
	// do, too, and each server counts in its own way: it need not agree with that of the users.
	ServerCount *ServerCount `json:"server_count,omitempty"`

	// Idle says how many virtual users, or asynchronous clients, did no transaction although they
	// were scheduled to; nil of a run that is not timed.
	Idle *IdleUsers `json:"idle_users,omitempty"`

	// LastFailures are the last failures of each class that transactions of the measured time
	// ended with, those of the most frequent class first.
	LastFailures []LastFailure `json:"last_failures,omitempty"`

	// Disturbances are what slowed the server and was not of the run, as it said when the measured time
	// began and ended; nil where it could not be asked.
	Disturbances *Disturbances `json:"disturbances,omitempty"`

	// Waiting are the transactions in flight at the end of the time that had then, or in the end,
	// taken longer than usual, longest first. They are in no histogram.
	Waiting []Waiting `json:"waiting,omitempty"`

	// LongestGap is the longest stall of a run; its length is 0 if it was below a quarter of a
	// second. Standstills is the number of stalls of a second and more.
	LongestGap  *Gap `json:"longest_gap,omitempty"`
	Standstills int  `json:"standstills,omitempty"`

	// Steps are the parts of a run in which different numbers of virtual users worked; nil
	// where all worked all the time.
	Steps []LoadStep `json:"steps,omitempty"`

	// Outages are the times in which connections were lost, of a run that connects again.
	Outages []Outage `json:"outages,omitempty"`

	Ledger *Ledger `json:"ledger,omitempty"` // of a run that kept one

	// Spans are the transactions of a run that ends when its work is done, in the order in
	// which they ended; nil of any other.
	Spans []Span `json:"spans,omitempty"`

	// Plans are those of its queries, and Explained says how they were had; nil if no plan
	// was asked for, or nothing can be explained.
	Plans     []QueryPlan `json:"plans,omitempty" hidden:"true" jsonschema:"-"`
	Explained *Explained  `json:"explained,omitempty"`

	// Uncounted says why the server's own count of all transactions is not used. It is "" if the
	// count is used, or if the server does not keep one.
	Uncounted string `json:"uncounted,omitempty"`

	// Unprobed says why the workload's own count in the database could not be read: figures are then
	// by the virtual users' count alone. It is "" if the count was read, or if the workload does not keep one.
	Unprobed string `json:"unprobed,omitempty"`

	Pace  *Pace  `json:"pace,omitempty"`  // of a run that was asked for a rate
	Keyed *Keyed `json:"keyed,omitempty"` // of a run with keying and thinking times

	// Thresholds are those that the run was judged by, in the order in which they were asked for.
	Thresholds []Threshold `json:"thresholds,omitempty"`

	// StartLag is how long after the end of their users' pauses transactions began; nil if users do
	// not pause.
	StartLag *meter.Latency `json:"start_lag,omitempty"`

	Sharing *Sharing `json:"sharing,omitempty"` // of a run whose users share connections

	Pool *Pool `json:"pool,omitempty"` // of a run with a pool of connections

	Client *ClientLoad `json:"client,omitempty"` // in the measured time of a run

	ServerReport *ServerReport `json:"server_report,omitempty"` // of a run whose options ask for one

	// Unobserved says which observers beside the run failed, and why. The run is worth what it is.
	Unobserved []Unobserved `json:"unobserved,omitempty"`

	// Groups are those of a run that has several. What stands in them is missing above.
	Groups []GroupResult `json:"groups,omitempty"`

	// Contention is what virtual users were to expect of each other; nil where there is so
	// much room that they seldom meet.
	Contention *Contention `json:"contention,omitempty"`

	// Tidied is the post-run maintenance of the server. Untidy says why it, or the audit of the
	// ledger, was not completed: the run itself had been measured in full.
	Tidied []Tidied `json:"tidied,omitempty"`
	Untidy string   `json:"untidy,omitempty"`

	Agreement        *Agreement  `json:"agreement,omitempty"`
	CounterAgreement *Agreement  `json:"counter_agreement,omitempty"` // of all transactions, by the server's own count
	Findings         []Finding   `json:"findings,omitempty"`          // of a check
	Loaded           []TableLoad `json:"loaded,omitempty"`            // of a build
}

// Brief returns the result without what takes much room, which the repository keeps in places of
// its own: the summary, what each user measured, and plans.
func (r Result) Brief() Result {
	r.Summary, r.PerUser, r.RampUpPerUser, r.Plans = meter.Summary{}, nil, nil, nil
	return r
}

// Metric returns the headline figure of a name, and whether there is one.
func (r Result) Metric(name string) (value float64, found bool) {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}

// LastFailure counts the transactions that failed with a class of error, and has the last
// message that the server gave for it.
type LastFailure struct {
	Class   string `json:"class"` // "deadlock"
	Failed  int64  `json:"failed"`
	Kind    string `json:"kind"`    // of the transaction that failed last: "payment"
	Message string `json:"message"` // that it failed with, its first line, of 300 bytes at most
}

// Threshold is a condition under which a run was to fail, and what came of it.
type Threshold struct {
	Threshold string   `json:"threshold"` // as it was asked for: "new_order.p95>20ms"
	Name      string   `json:"name"`      // of what was compared: "p95 of new order"
	Measured  *float64 `json:"measured"`  // in the unit; null where it was not measured
	Bound     float64  `json:"bound"`
	Unit      string   `json:"unit,omitempty"` // "seconds", "percent", "per_second"; "" of a number
	Passed    bool     `json:"passed"`         // never in a run that is not valid, or was not measured in full
	Text      string   `json:"text"`           // all of it in a sentence: "p95 of new order is 31.2 ms instead of at most 20 ms"
}

// LoadStep is a part of a run in which the same number of virtual users worked.
type LoadStep struct {
	Users   int     `json:"users"`
	From    float64 `json:"from_seconds"` // since the measurement began
	Elapsed float64 `json:"elapsed_seconds"`

	Metrics  []Metric           `json:"metrics,omitempty"` // by the count of the virtual users
	Measured meter.CodedSummary `json:"measured"`
}

// Disturbances are what slowed a server and was not of the run, such as an old snapshot.
type Disturbances struct {
	Words []string `json:"words,omitempty"` // a clause each; missing where the server was quiet
}

// IdleUsers says how many virtual users, or asynchronous clients, the client did not run.
type IdleUsers struct {
	Idle int `json:"idle"` // that were scheduled to begin a transaction and never did
	Of   int `json:"of"`   // all of them

	Why string `json:"why,omitempty"` // it did not, and what to do
}

// ServerCount is how far a server's own count moved in a run, and its rate.
type ServerCount struct {
	Count int64   `json:"count"`
	Rate  float64 `json:"rate"`
	Unit  string  `json:"unit"` // of the rate: "QPH"
	Is    string  `json:"is"`   // what the rate is of: "queries an hour"
}

// Unobserved is an observer beside a run that failed.
type Unobserved struct {
	Observer string `json:"observer"` // what it observes: "The server's rate"
	Error    string `json:"error"`
}

// ServerReport is what a server reported on itself while a run was measured.
type ServerReport struct {
	Title   string  `json:"title"`                      // what the server calls it: "MONREPORT"
	Text    string  `json:"text,omitempty" long:"true"` // in lines
	Seconds float64 `json:"seconds,omitempty"`          // from the beginning of the measured time until it was there
	Error   string  `json:"error,omitempty"`            // why the server reported nothing
}

// Metric is a headline figure, such as 1,234,567 NOPM.
type Metric struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`  // "s"; "" of a whole number of what it counts
	Means string  `json:"means,omitempty"` // what it counts, for readers who do not know the name: "new orders a minute"
}

// Waiting is a transaction that took longer than the time of a run.
type Waiting struct {
	User       int     `json:"user"`                 // position of the virtual user
	Client     int     `json:"client,omitempty"`     // its asynchronous client, from 1; 0 if it has no such clients
	Connection string  `json:"connection,omitempty"` // as the server calls it: "process 4711"
	Kind       string  `json:"kind"`
	Seconds    float64 `json:"at_least_seconds"`  // response time at the end of the run; for an aborted one, until it was aborted
	CutOff     bool    `json:"cut_off,omitempty"` // it was aborted, and never ended
}

// String says who waited, for what and for how long.
func (w Waiting) String() string {
	where := ""
	if w.Connection != "" {
		where = " (" + w.Connection + ")"
	}
	who := fmt.Sprintf("virtual user %d", w.User)
	if w.Client > 0 {
		who += fmt.Sprintf(", client %d,", w.Client)
	}
	return fmt.Sprintf("%s%s waited at least %.1f s for its %s", who, where, w.Seconds, w.Kind)
}

// Tidied is post-run maintenance of a server, so that the next run begins as this one did.
type Tidied struct {
	Work    StepName `json:"work"`            // "checkpoint"
	Ended   Stage    `json:"ended,omitempty"` // Ends, LeftOut or GivenUp; "" if it was aborted
	Seconds float64  `json:"seconds"`
	Had     int64    `json:"had,omitempty"`  // how much there was to do, where the server counts it
	Left    int64    `json:"left,omitempty"` // how much of it was left, if known
	Why     string   `json:"why,omitempty"`  // it was left out
}

// Contention says how many virtual users work on the same part of the data, so that they
// wait for each other's rows.
type Contention struct {
	Users   int    `json:"users"`
	Units   int    `json:"units"`   // that there are for them: warehouses
	Enough  int    `json:"enough"`  // that there should be, so that users seldom meet
	Sharing int    `json:"sharing"` // users that work on a unit that another works on, too
	Most    int    `json:"most"`    // users on the unit that most work on
	Expect  string `json:"expect"`  // all of that in words, and what comes of it
}

// Gap is a stall: a time in which no transaction ended though some were in flight.
type Gap struct {
	From    float64 `json:"from_seconds"` // since the measurement began
	Seconds float64 `json:"seconds"`
}

// Finding is what a check found about one rule.
type Finding struct {
	Rule    string     `json:"rule"`
	Title   string     `json:"title"`
	Source  string     `json:"source,omitempty"`
	Holds   bool       `json:"holds"`
	Excuse  string     `json:"excuse,omitempty"`  // why it need not hold for this schema
	Cause   string     `json:"cause,omitempty"`   // what has broken it, where the rows tell: it is broken all the same
	Columns []string   `json:"columns,omitempty"` // of Rows
	Rows    [][]string `json:"rows,omitempty"`    // the first rows that break it
	Error   string     `json:"error,omitempty"`   // why it could not be checked
}

// TableLoad is how many rows of a table a build loaded.
type TableLoad struct {
	Table   string  `json:"table"`
	Rows    int64   `json:"rows"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"` // spent by builders, added up
}
