package job

import (
	"math"
	"time"

	"sledge/internal/meter"
	"sledge/internal/option"
)

// Monitor is the position of the virtual user that runs no transactions, or of the only
// one where one does all. FirstWorker is the position of a timed run's first virtual
// user that runs transactions.
const (
	Monitor     = 1
	FirstWorker = 2
)

// Event is one thing that happened in a job, as data: displays make sentences of it. Only the
// collector and rare occasions make events; no virtual user does while it is being timed. One
// of the members after User is set, and determines the kind of event. Events and what they
// point to are immutable once sent.
type Event struct {
	Sequence int64 `json:"sequence,omitempty"` // from 1 on, without gaps; given where a job's events are handed out

	At   time.Time `json:"at"`
	User int       `json:"user,omitempty"` // position of the virtual user it is about; 0 for the job itself

	State    UserState  `json:"state,omitempty"`
	Trouble  *Trouble   `json:"trouble,omitempty"`
	Step     *Step      `json:"step,omitempty"`
	Phase    *PhaseSpan `json:"phase,omitempty"` // a phase that begins
	Progress *Progress  `json:"progress,omitempty"`
	Second   *Second    `json:"second,omitempty"`
	Counts   *Counts    `json:"counts,omitempty"`
	Headline *Result    `json:"headline,omitempty"` // what a run has measured, before post-run maintenance
	Failure  *Failure   `json:"failure,omitempty"`
	Span     *Span      `json:"span,omitempty"`   // of a run that ends when its work is done
	Answer   *Answer    `json:"answer,omitempty"` // to a query, of a run that is to show them
	Facts    *Facts     `json:"facts,omitempty"`

	// Settled are the options that the spec leaves to the moment, as a build that is
	// resumed has found them to have been: see Spec.Settle.
	Settled option.Values `json:"settled,omitempty" long:"true"`

	Sample  *Sample `json:"sample,omitempty"`
	Request Request `json:"request,omitempty"` // a request to stop or abort the job
	Message string  `json:"message,omitempty"` // what has no form of its own, in words
}

// Brief returns the event with the Brief of the result that it has, if it has one.
func (e Event) Brief() Event {
	if e.Headline != nil {
		brief := e.Headline.Brief()
		e.Headline = &brief
	}
	return e
}

// UserState says how a virtual user stands.
type UserState string

// The states of virtual users.
const (
	UserRunning   UserState = "running"
	UserSucceeded UserState = "succeeded"
	UserFailed    UserState = "failed"
)

// Request is a request to end a job early.
type Request string

// The requests.
const (
	StopRequest  Request = "stop"  // users are to finish the transaction that they are in
	AbortRequest Request = "abort" // abort transactions in flight
)

// Trouble is why a virtual user, or the whole job, cannot go on.
type Trouble struct {
	Error string `json:"error"` // on one line

	// Of a check, where that is why it failed: the schema is not there, or the first
	// rule is broken. Schema is what the schema is called.
	Schema   string   `json:"schema,omitempty"`
	NoSchema bool     `json:"no_schema,omitempty"`
	Broken   *Finding `json:"broken,omitempty"`
}

// Step is a part of a job other than a phase of a run: of a build, a check, a delete, or of
// what a database does before and after.
type Step struct {
	Name  StepName `json:"name"`
	Stage Stage    `json:"stage"`

	Of    string `json:"of,omitempty"`    // what it is about: a table, a schema, a rule
	Kind  string `json:"kind,omitempty"`  // what that is, where the name does not tell: "role"
	Owner string `json:"owner,omitempty"` // whom that belongs to
	Where string `json:"where,omitempty"` // the database under test, in words

	Users   int     `json:"users,omitempty"`   // virtual users that share it
	Count   int64   `json:"count,omitempty"`   // how much there is of it, or left of it
	Client  int     `json:"client,omitempty"`  // the number of the asynchronous client that it is about
	Units   []int   `json:"units,omitempty"`   // the numbers of those that fall to a virtual user
	Seconds float64 `json:"seconds,omitempty"` // how long it took, or was waited for
	Needs   string  `json:"needs,omitempty"`   // the version of the server that it was left out for
	Why     string  `json:"why,omitempty"`     // it was left out

	// Undo are the statements that put back what the step is about to change on the
	// server, for who ends this process before it does so.
	Undo []string `json:"undo,omitempty"`
}

// Stage says how a step stands.
type Stage string

// The stages of a step.
const (
	Begins  Stage = "begins"
	GoesOn  Stage = "goes on"
	Ends    Stage = "ends"
	LeftOut Stage = "left out"
	GivenUp Stage = "given up"
)

// StepName names a step.
type StepName string

// The steps.
const (
	StepBuild      StepName = "build"       // Of what decides the rows, Users who build
	StepDatabase   StepName = "database"    // is made: Of its name, Owner
	StepHistoryKey StepName = "history key" // Of the product
	StepSchema     StepName = "schema"      // Of its name, Owner
	StepTables     StepName = "tables"
	StepLoad       StepName = "load"  // of all tables, Users who load; or a virtual user's part of it
	StepTable      StepName = "table" // the rows of the table Of are loaded
	StepIndexes    StepName = "indexes"
	StepRoutines   StepName = "routines" // Kind: "stored procedures"
	StepStatistics StepName = "statistics"

	StepCheck         StepName = "check" // Of the schema
	StepCheckDatabase StepName = "check database"
	StepCheckTables   StepName = "check tables"
	StepCheckRoutines StepName = "check routines"
	StepCheckRule     StepName = "check rule" // Of the rule

	StepDelete StepName = "delete" // Of the schema
	StepDrop   StepName = "drop"   // Kind and Of what is around the schema

	StepGenerate StepName = "generate" // of rows into files by Users, of whom Count are done; at its end Of how much there is, as the workload's option says, and Seconds
	StepFile     StepName = "file"     // Of its path
	StepRows     StepName = "rows"     // of the table Of are made; Count is the number of the unit, or 0 for all

	StepConnection   StepName = "connection"   // is there, and Of is what the server says of it
	StepTimeProfile  StepName = "time profile" // is kept for a virtual user
	StepTransactions StepName = "transactions" // Count that a virtual user does at most
	StepClients      StepName = "clients"      // Count of asynchronous clients that a virtual user has
	StepLogIn        StepName = "log in"       // of a Client, Seconds after the first
	StepKeying       StepName = "keying"       // of a Client before a transaction, which is Of a kind, for Seconds
	StepThinking     StepName = "thinking"     // of a Client after a transaction, which is Of a kind, for Seconds
	StepShare        StepName = "share"        // Units that fall to a virtual user, of Count that Users share
	StepCount        StepName = "count"        // the server's counts are read for the start of the measurement
	StepUsers        StepName = "users"        // Users work from now on
	StepNewSale      StepName = "new sale"     // the order with the key Count was inserted
	StepOldSale      StepName = "old sale"     // the order with the key Count was deleted
	StepCheckpoint   StepName = "checkpoint"
	StepVacuum       StepName = "vacuum"
	StepPurge        StepName = "purge"      // Count of rows to purge
	StepWriteBack    StepName = "write back" // Count of dirty pages
	StepPlans        StepName = "plans"      // of Count queries are taken, Kind "analyze" where they are executed; at its end Count of plans, and Seconds
)

// PhaseSpan is a phase with the time that it is to take.
type PhaseSpan struct {
	Name   Phase         `json:"name"`
	Stage  string        `json:"stage,omitempty"`  // the part of a finite run that begins: "power test"
	Length time.Duration `json:"length,omitempty"` // 0 where it ends when its work is done
}

// Counts are the server's own counts as they were read for the start of the measurement,
// or for its end.
type Counts struct {
	End          bool   `json:"end,omitempty"`
	Probe        int64  `json:"probe"` // of what the headline is made of
	Transactions *int64 `json:"transactions,omitempty"`
}

// Phase is a part of a run.
type Phase string

// The phases of a run.
const (
	LogIn   Phase = "log in" // of asynchronous clients, who work as soon as they have
	RampUp  Phase = "ramp-up"
	Measure Phase = "measure"
	Finish  Phase = "finish"
)

// Moment is the end of a second of a run, or of a few seconds together, ramp-up included.
type Moment struct {
	Phase  Phase   `json:"phase"`
	Offset float64 `json:"offset_seconds"` // since the phase began

	// ServerTPM is the server's own count of transactions as a rate a minute, over
	// the time since it was last read; nil when it was not read in this second, or when
	// users told the server meanwhile what they had done.
	ServerTPM *float64 `json:"server_tpm,omitempty"`
}

// Passed returns how long the phase had lasted.
func (m Moment) Passed() time.Duration { return time.Duration(math.Round(m.Offset * 1e9)) }

// Second is what a second of a run measured. Rate is the same for charts.
type Second struct {
	Moment

	// Measured is what was measured, of each kind of transaction. It is the watcher's own.
	Measured meter.CodedSummary `json:"measured"`

	// Sessions is how many asynchronous clients had logged in; 0 of a run that has none.
	Sessions int `json:"sessions,omitempty"`
}

// ServerRate is the server's rate as a display shows it: the newest one that seconds have
// brought, for as long as it is news.
type ServerRate struct {
	tpm *float64
	age time.Duration
}

// ServerRateLasts is for how long a rate is shown that no newer one has followed.
const ServerRateLasts = 5 * time.Second

// Add takes a second, and returns the rate to show; nil if no rate is known.
func (r *ServerRate) Add(s Second) *float64 {
	r.age += s.Measured.Elapsed
	if s.ServerTPM != nil {
		r.tpm, r.age = s.ServerTPM, 0
	}
	if r.age > ServerRateLasts {
		r.tpm = nil
	}
	return r.tpm
}

// Progress says how far a build or a check has come.
type Progress struct {
	Step       string `json:"step"` // "load", "indexes", "copy", "check"
	Detail     string `json:"detail,omitempty"`
	Done       int64  `json:"done"`
	Total      int64  `json:"total"` // 0 when it is not known
	Unit       string `json:"unit"`  // "rows", "statements", "rules"
	DoneBytes  int64  `json:"done_bytes,omitempty"`
	TotalBytes int64  `json:"total_bytes,omitempty"`

	Tables []TableProgress `json:"tables,omitempty"` // of a load, in the order in which they are built
}

// TableProgress says how far the load of a table has come.
type TableProgress struct {
	Table string `json:"table"`
	Done  int64  `json:"done"`  // rows
	Total int64  `json:"total"` // rows, about; 0 of one that had all of them before
	Ready bool   `json:"ready"` // all its rows are there
}

// Failure is an example of a failed transaction: the first few of each class are
// kept with their message.
type Failure struct {
	Kind    string `json:"kind"`
	Class   string `json:"class"`
	Message string `json:"message"`
	Retried bool   `json:"retried"` // it was run again
}

// Facts are what must be known of the surroundings to repeat a result.
type Facts struct {
	SledgeVersion  string            `json:"sledge_version"`
	Server         string            `json:"server"`            // the server's version
	Product        string            `json:"product,omitempty"` // "MariaDB": what answered, where another database was chosen
	ServerSettings map[string]string `json:"server_settings,omitempty"`
	Unproven       string            `json:"unproven,omitempty"` // what no test of Sledge's has run of such a server, in sentences
	Target         string            `json:"target"`
	Pooling        string            `json:"pooling,omitempty"`    // how a connection pooler before the server assigns its connections: session, transaction or statement; missing without one
	Size           string            `json:"size,omitempty"`       // how much data there is: "10 warehouses"
	Durability     *Durability       `json:"durability,omitempty"` // what a commit was worth
	Host           Host              `json:"host"`
}

// Durability says whether what was committed survives a power failure.
type Durability struct {
	Holds bool   `json:"holds"`
	Why   string `json:"why"` // the settings that decide it
}

// Host is the machine that Sledge runs on.
type Host struct {
	Name        string `json:"name"`
	OS          string `json:"os"`
	Kernel      string `json:"kernel,omitempty"`
	Arch        string `json:"arch"`
	CPU         string `json:"cpu,omitempty"`
	CPUs        int    `json:"cpus"`
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
}
