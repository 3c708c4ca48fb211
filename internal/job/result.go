package job

import (
	"fmt"
	"time"

	"sledge/internal/meter"
)

// NotValid is the beginning of the reason of an Invalid run.
const NotValid = "the run is not valid: "

// Result is the result of a job. Members with the tag hidden are not part of documents. They are
// for the runner and the repository: see Brief.
type Result struct {
	Status Status `json:"status"`
	Reason string `json:"reason,omitempty"` // why the job did not succeed
	Cause  *Cause `json:"cause,omitempty"`  // the same for programs, if there is a remedy

	// InvalidBy is the check that makes the run invalid, by its name in reports: "Counts". It is ""
	// if no check of a report contains the reason.
	InvalidBy string `json:"invalid_by,omitempty"`

	Metrics []Metric `json:"metrics,omitempty"`
	Line    string   `json:"line,omitempty"` // the headline of another program's job; "" for Sledge's jobs

	// The parts are embedded, and stay in this order, so that the JSON is one flat object.
	Extent // users and time

	// P99 is the 99th percentile of the response times of all transactions, in seconds; 0 if no
	// transaction was done.
	P99 float64 `json:"p99_seconds,omitempty"`

	// Remarks explain the metrics, and why one is missing.
	Remarks []string `json:"remarks,omitempty"`

	// Unrecorded is why part of the job is missing in the repository; "" if it is complete. The
	// measurement itself is complete in both cases.
	Unrecorded string `json:"unrecorded,omitempty"`

	Measured // the transactions of virtual users
	Course   // the events during the run
	Queries  // of a run that ends when its work is done

	// Uncounted is why the server's own count of all transactions is not used. It is "" if the
	// count is used, or if the server does not keep one.
	Uncounted string `json:"uncounted,omitempty"`

	// Unprobed is why the workload's own count in the database could not be read. Figures then use
	// the virtual users' count. It is "" if the count was read, or if the workload does not keep
	// one.
	Unprobed string `json:"unprobed,omitempty"`

	Demand // the requested load and the load that was reached
	Beside // the findings of observers

	// Groups are the groups of a run with several. The members above are empty if the groups have
	// them.
	Groups []GroupResult `json:"groups,omitempty"`

	// Contention describes how virtual users wait for each other; nil if there are so many
	// warehouses that they seldom do.
	Contention *Contention `json:"contention,omitempty"`

	// Traits say what kind of test a run was.
	Traits []Trait `json:"kind_of_test,omitempty"`

	Maintenance // after the run
	Agreements  // of the client and of the server
	SchemaWork  // of a check or a build

	Ceiling *Ceiling `json:"ceiling,omitempty"` // of a job that measured it
}

// Extent is the number of users and the duration.
type Extent struct {
	Users   int     `json:"users,omitempty"`
	Clients int     `json:"clients,omitempty"` // asynchronous clients of each virtual user; 0 if users have none
	RampUp  float64 `json:"ramp_up_seconds,omitempty"`

	// Connecting is the time in which the users connected before the run.
	Connecting float64 `json:"connecting_seconds,omitempty"`

	Started time.Time `json:"started,omitzero"` // start of the measurement, or of the job if nothing was measured
	Elapsed float64   `json:"elapsed_seconds,omitempty"`
}

// Measured holds the transactions of the virtual users of a run, by their own count.
type Measured struct {
	Summary meter.Summary `json:"summary,omitzero" hidden:"true" jsonschema:"-"` // of the measurement
	Kinds   []string      `json:"kinds,omitempty"`

	// PerUser holds the measurements of each virtual user, beginning with user number 0, whose
	// position is 2. Only a run with a time profile has them. RampUpPerUser is the same for the
	// ramp-up, if there was one.
	PerUser       []meter.CodedSummary `json:"per_user,omitempty" hidden:"true" jsonschema:"-"`
	RampUpPerUser []meter.CodedSummary `json:"ramp_up_per_user,omitempty" hidden:"true" jsonschema:"-"`

	// ServerCount is the server's own count while users worked, in a run that ends when its work is
	// done; nil if the server keeps none. It includes the work of other programs, and each server
	// counts differently, so it need not agree with the users' count.
	ServerCount *ServerCount `json:"server_count,omitempty"`

	// Idle counts the virtual users, or asynchronous clients, that did no transaction although one
	// was scheduled; nil if the run is not timed.
	Idle *IdleUsers `json:"idle_users,omitempty"`

	// Commands are the commands of transactions that are scripts, in the order of the scripts, over the whole run.
	Commands []Command `json:"commands,omitempty"`

	// LastFailures holds the last failure of each class in the measured time, the most frequent
	// class first.
	LastFailures []LastFailure `json:"last_failures,omitempty"`
}

// Course holds the events during a run: its steps, stalls, outages and disturbances.
type Course struct {
	// Disturbances slowed the server and do not belong to the run. They are derived from the
	// server's state at the start and the end of the measured time; nil if the state could not be
	// read.
	Disturbances *Disturbances `json:"disturbances,omitempty"`

	// Waiting are the transactions in flight at the end of the measured time that took unusually
	// long, the longest first. They are in no histogram.
	Waiting []Waiting `json:"waiting,omitempty"`

	// LongestGap is the longest stall of a run; its length is 0 if it was below a quarter of a
	// second. Standstills is the number of stalls of a second and more.
	LongestGap  *Gap `json:"longest_gap,omitempty"`
	Standstills int  `json:"standstills,omitempty"`

	// Steps are the parts of a run with different numbers of virtual users; nil if the number did
	// not change.
	Steps []LoadStep `json:"steps,omitempty"`

	// Steadiness is the course of the throughput; nil if the measured time was below a minute, or if the
	// load changed on purpose.
	Steadiness *Steadiness `json:"steadiness,omitempty"`

	// Slowest is the slowdown that cost most transactions; nil if there was none, or if the load changed on
	// purpose.
	Slowest *Slowdown `json:"slowest,omitempty"`

	// Blocked is what held the locks for which most sessions waited; nil if it is not known.
	Blocked *Blocked `json:"blocked,omitempty"`

	// Background is the work of the server's own in the measured time. Only work that slows runs is known.
	Background []BackgroundWork `json:"background,omitempty"`

	// Outages are the times in which connections were lost, in a run that reconnects.
	Outages []Outage `json:"outages,omitempty"`

	Ledger *Ledger `json:"ledger,omitempty"` // of a run with a ledger
}

// Queries are the queries of a run that ends when its work is done, and their plans.
type Queries struct {
	// Spans are the transactions of a run that ends when its work is done, in the order in which
	// they ended; nil for any other run.
	Spans []Span `json:"spans,omitempty"`

	// Plans are the plans of its queries, and Explained summarizes how they were read; nil if no
	// plan was requested, or if the run has no queries to explain. In any other run, Plans are those of
	// the server's top statements.
	Plans     []QueryPlan `json:"plans,omitempty" hidden:"true" jsonschema:"-"`
	Explained *Explained  `json:"explained,omitempty"`
}

// Demand compares the load of a run with the requested load.
type Demand struct {
	Punctuality

	// Thresholds are the judged thresholds of the run, in the order of the request.
	Thresholds []Threshold `json:"thresholds,omitempty"`

	Sharing *Sharing `json:"sharing,omitempty"` // of a run whose users share connections

	Pool *Pool `json:"pool,omitempty"` // of a run with a pool of connections
}

// Beside holds the findings of observers beside the virtual users of a run.
type Beside struct {
	Client *ClientLoad `json:"client,omitempty"` // in the measured time of a run

	// ClientCeiling compares the run with the newest ceiling of the client's machine in the
	// repository; nil if the repository has no ceiling for this database and workload.
	ClientCeiling *CeilingReached `json:"client_ceiling,omitempty"`

	// Resources says how the resources of the machines were used in the measured time; nil if no machine was
	// sampled.
	Resources *Resources `json:"resources,omitempty"`

	ServerReport *ServerReport `json:"server_report,omitempty"` // of a run whose options request it

	// Activity is what the server's sessions did in the measured time; nil if the server does not
	// show it to the user.
	Activity *Activity `json:"activity,omitempty"`

	// ServerCounters are the differences of the server's own counters over the measured time; nil if the
	// server has none.
	ServerCounters *ServerCounters `json:"server_counters,omitempty"`

	// Statements took most of the server's time; nil if the server keeps no statistics of statements.
	Statements *Statements `json:"statements,omitempty"`

	// Doctor is what the quick checks of sledge doctor found before users worked; nil if the run was
	// not timed.
	Doctor *Doctor `json:"doctor,omitempty"`

	// Agents are the agents that the run watched.
	Agents []Agent `json:"agents,omitempty"`

	// Unobserved lists the observers beside the run that failed, with their errors. They do not
	// change the verdict.
	Unobserved []Unobserved `json:"unobserved,omitempty"`
}

// Maintenance is the post-run maintenance of the server.
type Maintenance struct {
	// Tidied is the post-run maintenance of the server. Untidy is why the maintenance, or the audit
	// of the ledger, was not completed. The run itself was measured in full.
	Tidied []Tidied `json:"tidied,omitempty"`
	Untidy string   `json:"untidy,omitempty"`
}

// Agreements compare the client's counts of a run with the server's.
type Agreements struct {
	Agreement        *Agreement `json:"agreement,omitempty"`
	CounterAgreement *Agreement `json:"counter_agreement,omitempty"` // compares all transactions with the server's own count
}

// SchemaWork holds the findings of a check, or the tables that a build loaded.
type SchemaWork struct {
	Findings []Finding   `json:"findings,omitempty"` // of a check
	Loaded   []TableLoad `json:"loaded,omitempty"`   // of a build
}

// Brief returns the result without its large members, which the repository keeps elsewhere: the
// summary, the measurements of each user, and plans.
func (r Result) Brief() Result {
	r.Summary, r.PerUser, r.RampUpPerUser, r.Plans = meter.Summary{}, nil, nil, nil
	return r
}

// Metric returns the headline figure with a name, and whether there is one.
func (r Result) Metric(name string) (value float64, found bool) {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}

// Command sums up how often a command of a script was executed, and how long that took.
type Command struct {
	Kind    string  `json:"kind"` // of the transaction
	Line    int     `json:"line"` // of the script, from 1
	Text    string  `json:"text"`
	Done    int64   `json:"done"`
	Failed  int64   `json:"failed,omitempty"`  // how often it ended its transaction
	Retried int64   `json:"retried,omitempty"` // how often the transaction was repeated because of it
	Seconds float64 `json:"seconds"`           // the sum of all executions that were done
}

// AddCommands adds the commands of other connections to a sum; nil is an empty sum.
func AddCommands(sum, other []Command) []Command {
	if sum == nil {
		return other
	}
	for i, c := range other {
		sum[i].Done += c.Done
		sum[i].Failed += c.Failed
		sum[i].Retried += c.Retried
		sum[i].Seconds += c.Seconds
	}
	return sum
}

// LastFailure counts the transactions that failed with one class of error, and holds the last
// message of the server for it.
type LastFailure struct {
	Class   string `json:"class"` // "deadlock"
	Failed  int64  `json:"failed"`
	Kind    string `json:"kind"`    // the kind of the last failed transaction: "payment"
	Message string `json:"message"` // the first line of its error, at most 300 bytes
}

// Threshold is a condition under which a run fails, and its outcome.
type Threshold struct {
	Threshold string   `json:"threshold"` // the condition as the user wrote it: "new_order.p95>20ms"
	Name      string   `json:"name"`      // what was compared: "p95 of new order"
	Measured  *float64 `json:"measured"`  // in the unit; null if it was not measured
	Bound     float64  `json:"bound"`
	Unit      string   `json:"unit,omitempty"` // "seconds", "percent", "per_second"; "" for a number
	Passed    bool     `json:"passed"`         // false if the run is not valid or was not measured in full
	Text      string   `json:"text"`           // the outcome in a sentence: "p95 of new order is 31.2 ms instead of at most 20 ms"
}

// LoadStep is a part of a run in which the number of virtual users did not change.
type LoadStep struct {
	Users   int     `json:"users"`
	From    float64 `json:"from_seconds"` // since the measurement began
	Elapsed float64 `json:"elapsed_seconds"`

	Metrics  []Metric           `json:"metrics,omitempty"` // by the virtual users' own count
	Measured meter.CodedSummary `json:"measured"`
}

// Disturbances are causes that slowed a server and do not belong to the run, such as an old
// snapshot.
type Disturbances struct {
	Words []string `json:"words,omitempty"` // one clause for each; missing if there were none
}

// IdleUsers counts the virtual users, or asynchronous clients, that the client did not run.
type IdleUsers struct {
	Idle int `json:"idle"` // number of users that had a scheduled transaction and never began one
	Of   int `json:"of"`   // number of all users

	Why string `json:"why,omitempty"` // why the client did not run them, and what to do
}

// ServerCount is the increase of a server's own count in a run, and its rate.
type ServerCount struct {
	Count int64   `json:"count"`
	Rate  float64 `json:"rate"`
	Unit  string  `json:"unit"` // the unit of the rate: "QPH"
	Is    string  `json:"is"`   // the unit in words: "queries an hour"
}

// Agent is how well a run watched another machine through its agent.
type Agent struct {
	Name     string `json:"name"`     // the label machine of its series
	Readings int    `json:"readings"` // one a second

	// AheadSeconds is by how much the machine's clock was ahead of the client's, and WithinSeconds the
	// greatest error of that. Samples are placed by this difference. Both are missing if the agent
	// never answered.
	AheadSeconds  *float64 `json:"ahead_seconds,omitempty"`
	WithinSeconds *float64 `json:"within_seconds,omitempty"`

	// GapSeconds is the time without readings; Unobserved has the reasons.
	GapSeconds float64 `json:"gap_seconds,omitempty"`
}

// Unobserved is an observer beside a run that failed.
type Unobserved struct {
	Observer string `json:"observer"` // name of the observed value: "The server's rate"
	Error    string `json:"error"`
}

// ServerReport is a server's own report on the measured time of a run.
type ServerReport struct {
	Title   string  `json:"title"`                      // the server's name of the report: "MONREPORT"
	Text    string  `json:"text,omitempty" long:"true"` // the report, in lines
	Seconds float64 `json:"seconds,omitempty"`          // from the beginning of the measured time until the report was complete
	Error   string  `json:"error,omitempty"`            // why there is no report
}

// Metric is a headline figure, such as 1,234,567 NOPM.
type Metric struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`  // "s"; "" for a whole number
	Means string  `json:"means,omitempty"` // the meaning of the name: "new orders a minute"
}

// Waiting is a transaction that was in flight at the end of the measured time.
type Waiting struct {
	User       int     `json:"user"`                 // position of the virtual user
	Client     int     `json:"client,omitempty"`     // its asynchronous client, from 1; 0 if it has no such clients
	Connection string  `json:"connection,omitempty"` // the server's name for it: "process 4711"
	Kind       string  `json:"kind"`
	Seconds    float64 `json:"at_least_seconds"`  // response time at the end of the run; for an aborted transaction, until it was aborted
	CutOff     bool    `json:"cut_off,omitempty"` // it was aborted
}

// String returns the user, its wait and its transaction in a sentence.
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

// Tidied is post-run maintenance of a server, so that the next run starts from the same state.
type Tidied struct {
	Work    StepName `json:"work"`            // "checkpoint"
	Ended   Stage    `json:"ended,omitempty"` // Ends, LeftOut or GivenUp; "" if it was aborted
	Seconds float64  `json:"seconds"`
	Had     int64    `json:"had,omitempty"`  // the work at the beginning, if the server counts it
	Left    int64    `json:"left,omitempty"` // the work that is left, if known
	Why     string   `json:"why,omitempty"`  // why it was left out
}

// Contention counts the virtual users that work on the same part of the data and therefore wait for
// each other's rows.
type Contention struct {
	Users   int    `json:"users"`
	Units   int    `json:"units"`   // units that the users have: warehouses
	Enough  int    `json:"enough"`  // units needed so that users seldom wait for each other
	Sharing int    `json:"sharing"` // users that share a unit with another user
	Most    int    `json:"most"`    // users on the unit with the most users
	Expect  string `json:"expect"`  // the same in words, with the consequences
}

// Gap is a stall: a time in which no transaction ended although some were in flight.
type Gap struct {
	From    float64 `json:"from_seconds"` // since the measurement began
	Seconds float64 `json:"seconds"`
}

// Finding is the result of a check for one rule.
type Finding struct {
	Rule    string     `json:"rule"`
	Title   string     `json:"title"`
	Source  string     `json:"source,omitempty"`
	Holds   bool       `json:"holds"`
	Excuse  string     `json:"excuse,omitempty"`  // why the rule does not apply to this schema
	Cause   string     `json:"cause,omitempty"`   // the fault that broke the rule, if the rows show it; the rule still counts as broken
	Columns []string   `json:"columns,omitempty"` // the names of the columns of Rows
	Rows    [][]string `json:"rows,omitempty"`    // the first rows that break it
	Error   string     `json:"error,omitempty"`   // why it could not be checked
}

// TableLoad counts the rows of a table that a build loaded.
type TableLoad struct {
	Table   string  `json:"table"`
	Rows    int64   `json:"rows"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"` // spent by all builders together
}
