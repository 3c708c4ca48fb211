// Package workload says what the rest of the program needs of a workload.
//
// Each folder below is one workload. It declares one value of type Workload;
// the catalog lists them. A workload never imports a particular database.
package workload

import (
	"context"
	"io/fs"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// Workload describes one workload. Like a Database, it is a declaration.
type Workload struct {
	Name    string   // the folder's name, and the user's: "tprocc"
	Title   string   // "TPROC-C"
	Aliases []string // other names users know it by
	Default bool     // whether it is meant where none is chosen; one workload is
	Kinds   []Kind   // its transactions, in the order of meter.Kind

	Options func() any   // a pointer to a new option struct
	Use     database.Use // what it asks of a database's own options

	// Finite says that terminals have no more work at some time, and that this is what ends
	// a run: it has no ramp-up, and measures for as long as the work takes. Executors are
	// Spanners.
	Finite bool

	// Grace is how long users may take to finish their transactions at the end of a run before they
	// are interrupted; 0 means half a minute, which is enough for short transactions.
	Grace time.Duration

	// Counted says how the rate of a database's own count is told, which the pair's
	// counter.sql reads. The zero value is TPM.
	Counted Throughput

	// Size says which of them is how much data there is. Optional.
	Size Size

	// Tables returns the schema and its initial rows in the order they are built.
	// Equal options and seed give equal rows.
	Tables func(options any, seed uint64) []schema.Table

	// Keeps says what runs note in a table of the schema beside the workload's own. Optional.
	Keeps *Keeping

	// Survey reads what terminals have to know of a schema, such as how many warehouses
	// there are. Optional.
	Survey func(ctx context.Context, l Look) (any, error)

	// Stages names the parts of a finite run, given what Survey found: a part begins when all
	// users have no more work in the one before, on the same connections. Its errors are
	// what the options ask for and this schema, or so many users, cannot do. Optional, and it
	// may return none: a run is one part without a name then.
	Stages func(options any, users int, survey any) ([]string, error)

	// NewTerminal creates the terminal that decides the transactions of a virtual user, in a run
	// with stages once per stage, and NewExecutor prepares a session for the transactions of
	// any terminal.
	NewTerminal func(slot Slot) Terminal
	NewExecutor func(ctx context.Context, c Connection) (Executor, error)

	// Modes are the workload's own ways to run, in which the manual shows what becomes of each
	// option. Optional.
	Modes []Mode

	// Pauses names the option that has terminals pause before or after transactions, and
	// says whether it does. A rate leaves no room for pauses, and asynchronous clients need
	// them. Optional.
	Pauses func(options any) (option string, pause bool)

	// Pause returns the mean time that a terminal pauses before and after a transaction of each
	// kind, of terminals that pause, and Limit what the standard says of how much such
	// terminals may do at most, in words. Optional.
	Pause func(options any) []time.Duration
	Limit string

	// Weights returns how often each kind of transaction is decided on, relative to the others: by
	// terminals or, where kinds lists some, by a rate of each, of which it says only which
	// there are. Optional.
	Weights func(options any, kinds []meter.Kind) []float64

	// NewTrial makes what does transactions in client SQL whatever the options say, each
	// ended by Session.Commit or Session.Rollback, so that they can be tried; or tries
	// itself what they need rights for. Optional.
	NewTrial func(ctx context.Context, c Connection) (Executor, error)

	// Piecemeal reports whether the client sends the statements of a transaction one by one. Optional:
	// nil is never.
	Piecemeal func(options any) bool

	// Mixed returns the option that was set to weight the kinds of transaction; "" if none was. It
	// conflicts with a rate for each kind. It is nil if terminals are not KindPickers.
	Mixed func(options any) string

	// Builders returns how many virtual users build the schema.
	Builders func(options any) int

	// Unbuildable says why there can be no schema of the rows that options ask for, and which
	// option that is; "" where there can be one. Optional.
	Unbuildable func(options any) (option, why string)

	// Rules are what check asks of a schema, besides that its tables and columns
	// are there.
	Rules []Rule

	// Identity says in a few words what decides the initial rows, so that a build
	// is resumed only with what it was begun with: "4 warehouses, seed 1".
	Identity func(options any, seed uint64) string

	// Resumed returns the options for a build that goes on with one of that identity:
	// what they leave to the moment, such as a load time of now, is as it was then.
	// Optional.
	Resumed func(options any, identity string) any

	// Inspect looks at what SQL alone cannot judge, after the tables were found to
	// be there. Optional.
	Inspect func(ctx context.Context, l Look) (Inspection, error)

	// Extent says in a few words how much data there is: "10 warehouses". Optional.
	Extent func(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error)

	// Builder returns the name of the other program that loaded the rows of a schema, "" if it was
	// Sledge or if that cannot be told. All tables are there. Optional.
	Builder func(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error)

	// Routines looks for the stored routines of a schema. Optional.
	Routines func(ctx context.Context, s database.Session, sql *sqlfile.Library) (Routines, error)

	// Probed returns how many of the transactions in s the workload's probe.sql
	// should have counted, so that the client's count and the server's can be
	// compared. ProbeName says what they are: "new order". Optional.
	Probed    func(s *meter.Summary) int64
	ProbeName string

	// Silence says what a run must expect the server to roll back without a word. Optional.
	Silence func(ctx context.Context, s database.Session, sql *sqlfile.Library, options any) (Silence, error)

	// NewAuditor makes what compares the ledger of a run with the database. Optional.
	NewAuditor NewAuditor

	// Contention says what the virtual users of a run must expect of each other, or
	// returns nil where they seldom meet. Optional.
	Contention func(ctx context.Context, s database.Session, sql *sqlfile.Library, c Crowd) (*job.Contention, error)

	// Queries returns the queries of the first set of a slot's terminal, each once: those that are
	// a single statement, which a database can explain. Optional: nil if there are no queries.
	Queries func(slot Slot) []Query

	// Score turns what was measured into the headline figures, the first of which stands
	// for the run. Figures lists all that it may return.
	Score   func(w Window) []job.Metric
	Figures []Figure

	// Remarks say what has to be known of those figures, and why one is missing that the run
	// was to give: a sentence each. Optional.
	Remarks func(w Window) []string

	// Variants are the ways to build and to run it that a suite tries on each database, in
	// that order: those without Build values run on what the one before left.
	Variants []Variant

	// DataFiles says how the initial rows are written to files. Optional.
	DataFiles *DataFiles

	SQL fs.FS // sql/ansi/*.sql and sql/<database>/*.sql
}

// Keeping is the table in which runs note the state of a schema, so that the next run continues
// from there. The first run that needs the table creates it, whichever program built the
// schema, and it is dropped with the schema.
type Keeping struct {
	Table  schema.Table
	Wanted func(options any) bool // whether such a run writes to it
}

// Look is a look at a schema.
type Look struct {
	Session database.Session
	SQL     *sqlfile.Library
	Options any
	Kept    bool // the table of Keeping is there

	// Progress says how far a look is that takes long.
	Progress func(what string, done, total int64)
}

// Routines are stored routines by names that a workload has for its own, as DROP takes
// them.
type Routines struct {
	Own    []string // proven to be of a schema of this workload
	Others []string // not proven, and in the way of a build
}

// DataFiles is what a workload says about its initial rows in files.
type DataFiles struct {
	// Units returns how many units the parts of a table share among them, each taking
	// neighbours, and so how many parts there may be: warehouses. A table with a chunk for
	// each unit is divided by chunks, one with Ranges by these, and any other by rows, of
	// which each unit has equally many.
	Units func(options any) int
	Unit  string // what they are: "warehouses"

	// Shared names the tables whose rows belong to no unit: they have one part each.
	Shared []string

	// Ranges returns how any rows of a table are made without those before them. Optional.
	Ranges func(options any, table string) Ranges

	// Typed returns a column of the schema as files with types declare it, with room for all of
	// its values. Optional: without it both have the same type.
	Typed func(schema.Column) schema.Column
}

// Ranges make the rows of a table, any range of them.
type Ranges struct {
	Count int64 // how many rows there are, or what else ranges are counted in: orders, of lines

	// Rows makes count rows from the row first on, the table's first one being 0, as load
	// text. Lines makes the same rows as lines of text, in which | stands behind each value,
	// the last one too, and in no value; nothing is NULL.
	Rows, Lines func(first, count int64) schema.RowSource

	// Columns makes the same rows column by column, of the types that Typed gives.
	Columns func(first, count int64) schema.ColumnSource
}

// Throughput says how a rate of work is told.
type Throughput struct {
	Name  string        // "TPM"
	Means string        // "transactions a minute"
	Per   time.Duration // a minute
}

// TPM is transactions a minute.
var TPM = Throughput{Name: "TPM", Means: "transactions a minute", Per: time.Minute}

// Throughput says how the rate of a database's own count is told.
func (w *Workload) Throughput() Throughput {
	if w.Counted.Per == 0 {
		return TPM
	}
	return w.Counted
}

// Size is how much data a workload has.
type Size struct {
	Option string // says how much is built, a number: "warehouses"
	Unit   string // what it counts: "warehouses"
}

// Figure is a headline figure that a workload has.
type Figure struct {
	Name string // "NOPM"
	Unit string // as job.Metric has it: "s", or "" of a number
}

// Kind is one kind of transaction.
type Kind struct {
	Name string // "new order"
}

// KindNames lists the names of the workload's kinds of transaction.
func (w *Workload) KindNames() []string {
	names := make([]string, len(w.Kinds))
	for i, k := range w.Kinds {
		names[i] = k.Name
	}
	return names
}

// KindNamed returns the kind of a name, however its words are put together: new_order,
// neworder and "new order" are the same.
func (w *Workload) KindNamed(name string) (kind meter.Kind, found bool) {
	for i, k := range w.Kinds {
		if option.SameName(k.Name, name) {
			return meter.Kind(i), true
		}
	}
	return 0, false
}

// Rule is one thing that check asks of a schema. Its query, named
// "check.<Name>", returns the rows that break it, so none means that it holds.
type Rule struct {
	Name   string // "consistency_1"
	Title  string // "W_YTD = sum(D_YTD)"
	Source string // "TPC-C 3.3.2.1"

	// Begins is what a check says that it looks at, "consistency 1"; "" for a rule that
	// belongs to the tables, which are looked at first.
	Begins string

	// Foreign explains why a schema of another program cannot meet the rule; "" if it can.
	Foreign string

	// Known names a fault of others that is known to break the rule; "" where there is
	// none. The query "check.<Name>_known" then says in one row how many rows break the
	// rule, and how many of those the fault explains to the cent.
	Known string
}

// Inspection is what a workload finds out about a schema.
type Inspection struct {
	// Size is how much data there is, as Workload.Size counts it; 0 where
	// that is not known.
	Size float64

	// Foreign names the builder of a schema whose data are known to break some
	// rules; it is "" where all rules apply.
	Foreign  string
	Findings []job.Finding
}

// Silence means that routines silently roll back a share of the transactions that the probe
// counts, so the client counts them as done.
type Silence struct {
	Share float64 // 0 where the server tells of all
	Why   string  // a sentence
}

// Window is what was measured, between two readings of the server's counts.
type Window struct {
	Summary        meter.Summary // what the virtual users counted
	Elapsed        time.Duration // between the two readings of the probe
	Counter        int64         // how far the server's own count of transactions moved
	Counted        bool          // whether the server has such a count
	CounterElapsed time.Duration // between the two readings of it
	Probe          int64         // how far the workload's own count on the server moved
	Probed         bool          // whether that count could be read
	Users          int
	Kinds          []meter.Kind // that were asked of the users; nil for what the options say
	Options        any          // of the workload
	Survey         any          // what Survey found
	Spans          []job.Span   // of a run that ends when its work is done
}

// Variant is one way to build and to run a workload, as the suite of all workloads tries it
// on a database, small and short. A pair has it if it knows all the options that it sets.
type Variant struct {
	Name string

	// Build and Run are option values. Run's are added to Build's.
	Build, Run option.Values

	// Option is one more option that the pair must have, and SQL a file of its: "routines".
	// Both may be "".
	Option, SQL string

	// RoundTrips is how many a transaction takes at least and at most, on average, where
	// the database is on a network.
	RoundTrips [2]float64

	// Without names the kinds of transaction, each by the words that it begins with, of
	// which there are none in this variant.
	Without []string

	// Afar says that tests leave it out, since it shows nothing new on servers that they reach:
	// only sledge selftest tries it.
	Afar bool

	// Test says that Run asks for a test run, whose users show what they do and have
	// iterations enough to do each kind of transaction.
	Test bool
}

// Mode is a way to run a workload, by the settings that choose it.
type Mode struct {
	Name  string
	Set   string // options, as name=value, with spaces between; "" for the defaults
	Users int    // virtual users; 0 for several
}
