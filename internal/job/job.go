// Package job describes a job: its spec, its events, and its result. It does not know who does
// jobs, keeps them or shows them.
package job

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"sledge/internal/meter"
	"sledge/internal/option"
)

// ID names a job for good: 24 upper-case hexadecimal digits.
type ID string

// Spec is everything asked of a job, as plain data: what the command line and
// the web page fill in, the repository keeps, and a primary sends to its
// replicas. Two runs of one spec pick the same transactions with the same inputs.
type Spec struct {
	Action   Action        `json:"action"`
	Database string        `json:"database"`
	Workload string        `json:"workload"`
	Options  option.Values `json:"options"` // only what differs from the defaults, and no secret
	Users    int           `json:"users,omitempty"`
	Seed     uint64        `json:"seed"`
	Resume   bool          `json:"resume,omitempty"` // go on with a build that was interrupted; it stays in the spec of one that was, whose time is not that of a whole build

	// Labels and Note are for people and their programs, to find the job by and to know
	// what it was done for. They change nothing in it.
	Labels map[string]string `json:"labels,omitempty"`
	Note   string            `json:"note,omitempty"`

	// Secrets are the values of secret options. Code that binds a spec, such as engine.NewPlan,
	// takes them out of Options; nothing prints, encodes or keeps them.
	Secrets option.Secrets `json:"-"`

	// Names are the front end's names of the options, for messages. They are not part of what is
	// asked for, and are not kept.
	Names option.Names `json:"-"`
}

// Values returns the options together with the secret ones, to bind them or to connect by them.
func (s Spec) Values() option.Values {
	all := s.Options.Clone()
	maps.Copy(all, s.Secrets.Reveal())
	return all
}

// Settle returns the spec with options as they were settled while its job was done. That
// is what is kept: the options mean the same whenever they are bound again.
func (s Spec) Settle(settled option.Values) Spec {
	options := s.Options.Clone()
	maps.Copy(options, settled)
	s.Options = options
	return s
}

// Action is what a job does.
type Action string

// The actions.
const (
	Build  Action = "build"
	Run    Action = "run"
	Check  Action = "check"
	Delete Action = "delete"
)

// Status says how a job stands or how it ended.
type Status string

// The statuses. A job whose process went away without ending it is Killed.
const (
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"  // it ended with an error
	Partial   Status = "partial" // stopped by the user; what was measured until then is kept
	Invalid   Status = "invalid" // it ran, but its numbers must not be used
	Missed    Status = "missed"  // it was measured in full and is valid, and missed a threshold
	Killed    Status = "killed"
)

// Statuses are all of them, in the order in which lists offer them.
var Statuses = []Status{Running, Succeeded, Missed, Failed, Partial, Invalid, Killed}

// Valid reports whether the figures of a run of this status may be compared with others.
func (s Status) Valid() bool { return s == Succeeded || s == Missed }

// Whole reports whether a run of this status ran to its end, whatever its figures are worth.
func (s Status) Whole() bool { return s == Succeeded || s == Invalid || s == Missed }

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
	Clients int       `json:"clients,omitempty"` // asynchronous ones of each virtual user; 0 where users have none
	Started time.Time `json:"started,omitzero"`  // of the measurement, or else of the job
	Elapsed float64   `json:"elapsed_seconds,omitempty"`

	// P99 is the 99th percentile of the response times of all transactions, in seconds; 0 where
	// none was done.
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

	// Plans are those of its queries, and Explained says how they were had; nil where none
	// were asked for, or nothing can be explained.
	Plans     []QueryPlan `json:"plans,omitempty" hidden:"true" jsonschema:"-"`
	Explained *Explained  `json:"explained,omitempty"`

	// Uncounted says why the server's own count of all transactions is not used; "" where
	// it is, or where there is none.
	Uncounted string `json:"uncounted,omitempty"`

	// Unprobed says why the workload's own count in the database could not be read, so that
	// figures are by the virtual users' count alone; "" where it was, or where there is none.
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

// Pace says how a run kept to its requested rate of transactions. Rates are per second, over
// the measured time; start lag is how long after its scheduled start a transaction began.
type Pace struct {
	Asked  float64 `json:"asked_per_second"` // that were due
	Ended  float64 `json:"ended_per_second"` // of those, that began in that time and ended, then or soon after
	Behind int64   `json:"behind"`           // due when the time was up, and not begun by then

	// Earlier is how many ended in the measured time that were due before it. They are in no
	// histogram, and not in Ended.
	Earlier int64 `json:"due_earlier,omitempty"`

	// Reached is the share of the transactions due that were done, or rolled back as the
	// workload asks, in percent; 100 where none was due. Share also knows it of jobs that were
	// recorded before it was kept.
	Reached float64 `json:"reached_percent,omitempty"`

	StartLag meter.Latency `json:"start_lag"`

	Kinds []KindPace `json:"kinds,omitempty"` // where each kind of transaction has a rate of its own
}

// Share returns Reached, or an estimate of it in a job from before it was kept.
func (p Pace) Share() float64 {
	if p.Reached == 0 && p.Asked > 0 {
		return 100 * p.Ended / p.Asked
	}
	return p.Reached
}

// Keyed compares a run with keying and thinking times with what these allow: what terminals
// do whose transactions take no time at all.
type Keyed struct {
	Sessions float64 `json:"sessions"`            // terminals that worked, on average over the measured time
	Cycle    float64 `json:"cycle_seconds"`       // mean pause before and after a transaction
	Expected float64 `json:"expected_per_minute"` // transactions of all kinds
	Measured float64 `json:"measured_per_minute"` // those done, or rolled back as the workload asks
	Reached  float64 `json:"reached_percent"`     // of the expected

	// Each says what one terminal does at most, as "10 new orders in 476 s", and Figure what
	// all do of what the headline counts, a minute.
	Each   string  `json:"each,omitempty"`
	Figure float64 `json:"expected_figure,omitempty"`
	What   string  `json:"what,omitempty"`  // the headline counts: "new order"
	Limit  string  `json:"limit,omitempty"` // of the workload's standard, in words: "the times of TPC-C allow at most 12.86 a warehouse"
}

// PaceReached returns which share of its rate, or of what keying and thinking times allow, a run
// reached, in percent. A run that was asked for neither reached it all.
func (r Result) PaceReached() float64 {
	reached := 100.0
	if r.Pace != nil {
		reached = min(reached, r.Pace.Share())
	}
	if r.Keyed != nil {
		reached = min(reached, r.Keyed.Reached)
	}
	return reached
}

// EnoughPace is the share of a rate, or of what keying and thinking times allow, in percent,
// below which a run is said not to have kept its pace.
const EnoughPace = 95

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

// KindPace is the Pace of one kind of transaction.
type KindPace struct {
	Kind   string  `json:"kind"`
	Asked  float64 `json:"asked_per_second"`
	Ended  float64 `json:"ended_per_second"`
	Behind int64   `json:"behind"`

	StartLag meter.Latency `json:"start_lag"`
}

// Sharing says how virtual users fared that share connections.
type Sharing struct {
	Connections int           `json:"connections"`
	Wait        meter.Latency `json:"wait"` // of a transaction for a connection: in its response time, not in its service time
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
	Error   string  `json:"error,omitempty"`            // why there is none
}

// Metric is a headline figure, such as 1,234,567 NOPM.
type Metric struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`  // "s"; "" of a whole number of what it counts
	Means string  `json:"means,omitempty"` // what it counts, for who does not know the name: "new orders a minute"
}

// Waiting is a transaction that took longer than the time of a run.
type Waiting struct {
	User       int     `json:"user"`                 // position of the virtual user
	Client     int     `json:"client,omitempty"`     // its asynchronous client, from 1; 0 where it has none
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

// ClientLoad is what Sledge's own process used of its machine over some time, and what it
// might have used. A client that is near its limit measures itself.
type ClientLoad struct {
	CPUSeconds float64 `json:"cpu_seconds"` // user and system time
	CoresUsed  float64 `json:"cores_used"`  // that is, in each second
	Cores      float64 `json:"cores"`       // that it might have used: the least of the machine's and the two limits

	// OtherJobs is how many other jobs the same process did at the same time, at most. It is read from
	// jobs of an earlier Sledge; now each job of the web application has its own process.
	OtherJobs int `json:"other_jobs,omitempty"`

	MaxProcs    int     `json:"gomaxprocs"`             // how many Go ran its code on at most
	CgroupCores float64 `json:"cgroup_cores,omitempty"` // how many Linux's control groups allow; 0 for no limit

	// WithDatabase says that the database worked inside this process, as SQLite does:
	// what it used is in these figures.
	WithDatabase bool `json:"with_database,omitempty"`

	// Pauses are the times in which this process did not run at all: it was stopped, its machine was
	// suspended, or it got no core. What users waited meanwhile is not the server's doing.
	Pauses []ClientPause `json:"pauses,omitempty"`

	// ThrottledSeconds is for how long Linux kept it from cores because a control group had
	// used what it may, added up over the cores.
	ThrottledSeconds float64 `json:"throttled_seconds,omitempty"`

	Machine *MachineLoad `json:"machine,omitempty"` // nil where the system does not tell

	// The pauses in which Go's garbage collector held up all of the process.
	GCPauses              int64   `json:"gc_pauses"`
	GCPauseSeconds        float64 `json:"gc_pause_seconds"`         // in all
	GCLongestPauseSeconds float64 `json:"gc_longest_pause_seconds"` // the longest lasted no longer, and up to a quarter less
}

// NearLimit reports whether the client may have been what was measured. One that was busy for a
// moment alone, as in a run of which the first query fails, was not.
func (c ClientLoad) NearLimit() bool {
	const near, moment = 0.8, 0.1 // of its cores; seconds of CPU time
	return !c.WithDatabase && c.CoresUsed >= near*c.Cores && c.CPUSeconds >= moment
}

// HadRoom reports whether the client had what it needed all the time: it was not near its
// limit, was never stopped, and was not throttled for a twentieth of the time.
func (c ClientLoad) HadRoom() bool {
	return !c.NearLimit() && len(c.Pauses) == 0 && !c.Throttled()
}

// Throttled reports whether control groups kept the client from its cores for more than a
// twentieth of the time that it worked and waited for them.
func (c ClientLoad) Throttled() bool {
	return c.ThrottledSeconds > 0.05*(c.CPUSeconds+c.ThrottledSeconds) && c.ThrottledSeconds >= 0.1
}

// Paused returns for how many seconds in all the client did not run.
func (c ClientLoad) Paused() (seconds float64) {
	for _, p := range c.Pauses {
		seconds += p.Seconds
	}
	return seconds
}

// MachineLoad says who used the cores of the client's machine, in cores: seconds of CPU time in each
// second. Time of interrupts is in none of them.
type MachineLoad struct {
	Cores  int     `json:"cores"`  // of the machine
	Busy   float64 `json:"busy"`   // used by all processes
	Client float64 `json:"client"` // by this one
	Server float64 `json:"server"` // by the database's server, where it is on this machine
	Others float64 `json:"others"` // by all else
	Steal  float64 `json:"steal"`  // that a host gave to other machines

	Waited   float64 `json:"waited_seconds"` // that threads of this process waited for a core, added up
	Pressure float64 `json:"pressure"`       // share of the time in which some process waited for one, by Linux's pressure stall information

	// Unknown says why Server, and so Others, is not known; "" where it is.
	Unknown string `json:"unknown,omitempty"`

	Processes []ProcessLoad `json:"processes,omitempty"` // those of the others that used most, by their names
}

// ProcessLoad is what processes of a name used.
type ProcessLoad struct {
	Name  string  `json:"name"`
	Cores float64 `json:"cores"`
	Ended float64 `json:"-"` // by their children that ended, where those have the same name
}

// Disturbed reports whether others used so many of the cores that figures may be theirs: a twentieth of all
// cores, and a quarter of one, or as much stolen by the host.
func (m MachineLoad) Disturbed() bool {
	enough := max(0.25, 0.05*float64(m.Cores))
	return m.Unknown == "" && m.Others >= enough || m.Steal >= enough
}

// Attribute splits what other processes used into the server's part and the others'. Server are the names of
// the server's programs, if it is on this machine, and else nil.
func (m *MachineLoad) Attribute(server []string) {
	seen := false
	var others []ProcessLoad
	for _, p := range m.Processes {
		if slices.Contains(server, p.Name) {
			seen, m.Server = true, m.Server+p.Cores+max(0, p.Ended)
		} else if len(others) < mostProcesses && p.Cores >= 0.01 {
			others = append(others, p)
		}
	}
	m.Processes, m.Others = others, max(0, m.Busy-m.Client-m.Server)
	if server != nil && !seen {
		m.Unknown = "the server is on this machine, and its processes cannot be seen"
	}
}

const mostProcesses = 3

// ClientPause is a time in which Sledge's own process did not run.
type ClientPause struct {
	From    float64 `json:"from_seconds"` // since the measurement began
	Seconds float64 `json:"seconds"`

	// CPUSeconds is what it used meanwhile. If that is most of the time, the process was not stopped:
	// it was too busy to look at its clock.
	CPUSeconds float64 `json:"cpu_seconds"`
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

// Agreement compares the virtual users' own count with the server's, of those
// transactions that the workload's probe counts.
type Agreement struct {
	What   string `json:"what"` // "new order"
	Client int64  `json:"client"`
	Server int64  `json:"server"`

	// Low and High bound what the server may count if both are right: the
	// client's count, and what may have been in flight while the server was read.
	Low   int64 `json:"low"`
	High  int64 `json:"high"`
	Holds bool  `json:"holds"`

	// Limit is by how many percent the server's count may be out of bounds before the run is
	// invalid: option max_failures. It is 0 where a count out of bounds makes no run invalid.
	Limit float64 `json:"limit_percent,omitempty"`

	// Over is where those transactions went that are compared, of a pool whose connections
	// lead to several places; "" where it is all of them.
	Over string `json:"over,omitempty"`

	// Vague says that the bounds are met, and so far apart that this says nothing.
	Vague bool `json:"vague,omitempty"`

	// None says that there were none of them to do and that the server counted none, so
	// that this says nothing of the count of other transactions.
	None bool `json:"none,omitempty"`

	// Allowance says why the server may count less than the client; "" where it may not.
	Allowance string `json:"allowance,omitempty"`
}

// Off returns by how much of the larger count the server's is out of bounds, in percent.
func (a Agreement) Off() float64 {
	off := max(a.Low-a.Server, a.Server-a.High, 0)
	return 100 * float64(off) / float64(max(a.Client, a.Server, 1))
}

// TrustedWithin is by how many percent the server's count may be out of bounds for a figure
// that is computed from it to be relied on.
const TrustedWithin = 1

// Trusted reports whether a figure computed from the server's count can be relied on.
func (a Agreement) Trusted() bool { return !a.Vague && a.Off() <= TrustedWithin }

// Suspicion says what is the likely reason for counts that disagree, and what to do.
func (a Agreement) Suspicion() string {
	switch {
	case a.Server < 0:
		return "Rows that are counted were removed while the run went on. Keep other programs away from the schema, build it again, and repeat the run."
	case a.Server < a.Client:
		return "The schema's routines may roll back without reporting it: run with client_sql=true, or build the schema with Sledge."
	}
	return "Another program may have worked on the schema: stop it, and repeat the run."
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

// Watcher is told of a job as it goes, where it goes: the repository, the primary of a
// distributed run, and who hands the events out to those who may be slow. Events come
// one after another, never two at once; a watcher that is slow delays the next second's
// event, and virtual users only where they begin, end, or tell of the first failures of a
// class.
type Watcher interface{ Watch(Event) }

// Control is how the caller follows and ends a job.
type Control struct {
	Watchers []Watcher

	// Stop, when closed, ends a run early: users finish their transactions, and the result is
	// marked partial. Cancelling the context aborts.
	Stop <-chan struct{}
}

// Runner does jobs. The engine does them in this process; a cluster's primary has its replicas
// do them. Callers need not know which.
type Runner interface {
	Do(ctx context.Context, spec Spec, control Control) (Result, error)
}
