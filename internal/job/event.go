package job

import (
	"math"
	"time"

	"sledge/internal/meter"
	"sledge/internal/option"
)

// Monitor is the position of the virtual user that does no transactions, or of the only user of a
// job with one user. FirstWorker is the position of the first virtual user of a timed run that does
// transactions.
const (
	Monitor     = 1
	FirstWorker = 2
)

// Event is an event of a job, as data. Displays turn it into sentences. A virtual user emits no
// event during a timed transaction. Exactly one of the members after User is set, and determines
// the kind of event. Events and the values that they point to are immutable once sent.
type Event struct {
	Sequence int64 `json:"sequence,omitempty"` // counts from 1 without gaps; set when the job's log takes the event

	At   time.Time `json:"at"`
	User int       `json:"user,omitempty"` // position of the virtual user; 0 for the job itself

	State    UserState  `json:"state,omitempty"`
	Trouble  *Trouble   `json:"trouble,omitempty"`
	Step     *Step      `json:"step,omitempty"`
	Phase    *PhaseSpan `json:"phase,omitempty"` // a phase that begins
	Progress *Progress  `json:"progress,omitempty"`
	Second   *Second    `json:"second,omitempty"`
	Counts   *Counts    `json:"counts,omitempty"`
	Headline *Result    `json:"headline,omitempty"` // the figures of a run, before post-run maintenance
	Failure  *Failure   `json:"failure,omitempty"`
	Span     *Span      `json:"span,omitempty"`   // of a run that ends when its work is done
	Answer   *Answer    `json:"answer,omitempty"` // result rows of a query, if the run shows them
	Facts    *Facts     `json:"facts,omitempty"`

	// Settled holds options whose values depend on the time, with the values that a resumed build
	// has found: see Spec.Settle.
	Settled option.Values `json:"settled,omitempty" long:"true"`

	Samples []Sample `json:"samples,omitempty"` // taken together, of different series

	// Activity is what the server's sessions did in a second. Only recorders and watchers that attend the job
	// receive it: its log does not have it, because it may have a hundred texts.
	Activity *ActivitySecond `json:"activity,omitempty"`

	Request Request `json:"request,omitempty"` // a stop or abort request

	// Background is work that the server begins or ends by itself, or a statement whose plan it changed, in
	// words: "A checkpoint ended".
	Background string `json:"background,omitempty"`

	Message string `json:"message,omitempty"` // a text that fits no other member
}

// Brief returns the event with Result.Brief of its headline, if it has a headline.
func (e Event) Brief() Event {
	if e.Headline != nil {
		brief := e.Headline.Brief()
		e.Headline = &brief
	}
	return e
}

// UserState is the state of a virtual user.
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
	StopRequest  Request = "stop"  // users complete their current transactions
	AbortRequest Request = "abort" // abort transactions in flight
)

// Trouble is why a virtual user, or the whole job, cannot continue.
type Trouble struct {
	Error string `json:"error"` // on one line

	// Members of a check: whether the schema is missing, the first broken rule, and the name of the
	// schema.
	Schema   string   `json:"schema,omitempty"`
	NoSchema bool     `json:"no_schema,omitempty"`
	Broken   *Finding `json:"broken,omitempty"`
}

// Step is a part of a build, a check or a delete, or of a database's work before and after a run.
type Step struct {
	Name  StepName `json:"name"`
	Stage Stage    `json:"stage"`

	Of    string `json:"of,omitempty"`    // the subject: a table, a schema, a rule
	Kind  string `json:"kind,omitempty"`  // the kind of the subject, if its name does not show it: "role"
	Owner string `json:"owner,omitempty"` // the owner of the subject
	Where string `json:"where,omitempty"` // the database under test, in words

	Users   int     `json:"users,omitempty"`   // number of virtual users that share the step
	Count   int64   `json:"count,omitempty"`   // the amount of the subject, or the remaining amount
	Client  int     `json:"client,omitempty"`  // the number of the asynchronous client
	Units   []int   `json:"units,omitempty"`   // the numbers of the units that a virtual user gets
	Seconds float64 `json:"seconds,omitempty"` // the duration, or the wait before it
	Needs   string  `json:"needs,omitempty"`   // the version of the server that the step needs, if that is why it was left out
	Why     string  `json:"why,omitempty"`     // why it was left out

	// Undo are the statements that undo the changes of the step on the server, for a user that
	// kills this process before it undoes them.
	Undo []string `json:"undo,omitempty"`
}

// Stage is the state of a step.
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
	StepBuild      StepName = "build"       // Of: the parameters that determine the rows; Users: the builders
	StepDatabase   StepName = "database"    // the account is created; Of: its name, Owner
	StepHistoryKey StepName = "history key" // Of the product
	StepSchema     StepName = "schema"      // Of its name, Owner
	StepTables     StepName = "tables"
	StepLoad       StepName = "load"  // rows of all tables are loaded by Users builders, or a virtual user's part of it
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
	StepDrop   StepName = "drop"   // Of: the name of the database or the account; Kind: its kind

	StepGenerate StepName = "generate" // rows are written to files by Users workers, Count of them done; at the end: Of the amount of data, by the workload's option, and Seconds
	StepFile     StepName = "file"     // Of its path
	StepRows     StepName = "rows"     // the rows of the table Of are generated; Count is the number of the unit, or 0 for all

	StepConnection   StepName = "connection"   // the properties of a connection; Of is one property
	StepTimeProfile  StepName = "time profile" // a virtual user records a time profile
	StepTransactions StepName = "transactions" // Count is the maximum number of transactions of a virtual user
	StepClients      StepName = "clients"      // Count is the number of a virtual user's asynchronous clients
	StepLogIn        StepName = "log in"       // a Client logs in, Seconds after the first
	StepKeying       StepName = "keying"       // a Client keys for Seconds, before a transaction of the kind Of
	StepThinking     StepName = "thinking"     // a Client thinks for Seconds, after a transaction of the kind Of
	StepShare        StepName = "share"        // Units of a virtual user, of the Count units that Users share
	StepCount        StepName = "count"        // the server's counts are read for the start of the measurement
	StepUsers        StepName = "users"        // Users users work from now on
	StepNewSale      StepName = "new sale"     // the order with the key Count was inserted
	StepOldSale      StepName = "old sale"     // the order with the key Count was deleted
	StepCheckpoint   StepName = "checkpoint"
	StepVacuum       StepName = "vacuum"
	StepPurge        StepName = "purge"      // Count is the number of rows to purge
	StepWriteBack    StepName = "write back" // Count of dirty pages
	StepPlans        StepName = "plans"      // plans of Count queries are read; Kind is "analyze" if the queries are executed; at the end: Count of plans, and Seconds
)

// PhaseSpan is a phase with its planned length.
type PhaseSpan struct {
	Name   Phase         `json:"name"`
	Stage  string        `json:"stage,omitempty"`  // the stage of a finite run that begins: "power test"
	Length time.Duration `json:"length,omitempty"` // 0 if the phase ends when its work is done
}

// Counts are the server's own counts, read for the start or the end of the measurement.
type Counts struct {
	End          bool   `json:"end,omitempty"`
	Probe        int64  `json:"probe"` // the count that the headline is computed from
	Transactions *int64 `json:"transactions,omitempty"`
}

// Phase is a part of a run.
type Phase string

// The phases of a run.
const (
	LogIn   Phase = "log in" // asynchronous clients log in; each works as soon as it has logged in
	RampUp  Phase = "ramp-up"
	Measure Phase = "measure"
	Finish  Phase = "finish"
)

// Moment is the end of an interval of a run, of a second or a few seconds, including the ramp-up.
type Moment struct {
	Phase  Phase   `json:"phase"`
	Offset float64 `json:"offset_seconds"` // since the phase began

	// ServerTPM is the rate of the server's own count of transactions per minute, since the last
	// reading. It is nil if the count was not read in this second, or if users flushed their
	// statistics since the last reading.
	ServerTPM *float64 `json:"server_tpm,omitempty"`
}

// Passed returns the time since the phase began.
func (m Moment) Passed() time.Duration { return time.Duration(math.Round(m.Offset * 1e9)) }

// Second holds the measurements of a second of a run. Rate is its short form for charts.
type Second struct {
	Moment

	// Measured holds the measurements of each kind of transaction. The watcher owns it.
	Measured meter.CodedSummary `json:"measured"`

	// Sessions is the number of asynchronous clients that have logged in; 0 if the run has none.
	Sessions int `json:"sessions,omitempty"`
}

// ServerRate holds the server's newest rate for a display, until the rate is outdated.
type ServerRate struct {
	tpm *float64
	age time.Duration
}

// ServerRateLasts is the time for which a rate is shown without a newer one.
const ServerRateLasts = 5 * time.Second

// Add adds a second, and returns the rate to show; nil if no rate is known.
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

// Progress is the progress of a build or a check.
type Progress struct {
	Step       string `json:"step"` // "load", "indexes", "copy", "check"
	Detail     string `json:"detail,omitempty"`
	Done       int64  `json:"done"`
	Total      int64  `json:"total"` // 0 if it is not known
	Unit       string `json:"unit"`  // "rows", "statements", "rules"
	DoneBytes  int64  `json:"done_bytes,omitempty"`
	TotalBytes int64  `json:"total_bytes,omitempty"`

	Tables []TableProgress `json:"tables,omitempty"` // tables of a load, in the order in which they are built
}

// TableProgress is the progress of loading a table.
type TableProgress struct {
	Table string `json:"table"`
	Done  int64  `json:"done"`  // rows
	Total int64  `json:"total"` // rows, estimated; 0 if the table was complete before
	Ready bool   `json:"ready"` // the table has all its rows
}

// Failure is an example of a failed transaction. The first few of each class are kept with their
// messages.
type Failure struct {
	Kind    string `json:"kind"`
	Class   string `json:"class"`
	Message string `json:"message"`
	Retried bool   `json:"retried"` // it was retried
}

// Facts describe the environment that a result depends on.
type Facts struct {
	SledgeVersion  string            `json:"sledge_version"`
	SledgeSHA256   string            `json:"sledge_sha256,omitempty"` // of the program's file, in hexadecimal; missing if the file could not be read
	Server         string            `json:"server"`                  // the server's version
	Product        string            `json:"product,omitempty"`       // "MariaDB": the server's product, if another one was chosen
	ServerSettings map[string]string `json:"server_settings,omitempty"`

	// ServerSettingSources say where settings were set, if not by default and if the server tells it:
	// "configuration file".
	ServerSettingSources map[string]string `json:"server_setting_sources,omitempty"`

	Unproven   string      `json:"unproven,omitempty"`  // the limits of Sledge's tests with such a server, in sentences
	Unsampled  string      `json:"unsampled,omitempty"` // why runs do not sample the server's sessions; missing if they do
	Target     string      `json:"target"`
	Pooling    string      `json:"pooling,omitempty"`    // how a connection pooler assigns its connections: session, transaction or statement; missing without a pooler
	Size       string      `json:"size,omitempty"`       // the amount of data: "10 warehouses"
	Durability *Durability `json:"durability,omitempty"` // whether commits survive a power failure
	Host       Host        `json:"host"`

	// Machines are the machines that the run watches through agents, by the agents' names.
	Machines map[string]Host `json:"machines,omitempty"`

	// ServerMachine is the machine that the server runs on: ClientMachine, or a name in Machines. It is missing if
	// neither is known to be.
	ServerMachine string `json:"server_machine,omitempty"`
}

// ClientMachine names the machine that Sledge runs on, among those that a run watches.
const ClientMachine = "client"

// ServerCPUs returns the number of CPUs of the machine that the server runs on; 0 if it is not known.
func (f *Facts) ServerCPUs() int {
	switch {
	case f == nil || f.ServerMachine == "":
		return 0
	case f.ServerMachine == ClientMachine:
		return f.Host.CPUs
	}
	return f.Machines[f.ServerMachine].CPUs
}

// ServerSetting returns a setting of the server, followed by where it was set if that is known.
func (f Facts) ServerSetting(name string) string {
	value, source := f.ServerSettings[name], f.ServerSettingSources[name]
	if source == "" {
		return value
	}
	return value + " (" + source + ")"
}

// Durability is whether committed data survive a power failure.
type Durability struct {
	Holds bool   `json:"holds"`
	Why   string `json:"why"` // the settings that decide it
}

// Host is a machine: the one that Sledge runs on, or one that it watches.
type Host struct {
	Name        string `json:"name"`
	OS          string `json:"os"`
	Kernel      string `json:"kernel,omitempty"`
	Arch        string `json:"arch"`
	CPU         string `json:"cpu,omitempty"`
	CPUs        int    `json:"cpus"`
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`

	// Settings are settings of the kernel and properties of the hardware on which performance depends,
	// such as the governor of the CPU. Only Linux reports them.
	Settings map[string]string `json:"settings,omitempty"`
}
