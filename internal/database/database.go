// Package database says what the rest of the program needs of a DBMS.
//
// Each folder below is one DBMS. It declares one value of type Database; the
// catalog lists them. A database never imports a workload.
package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// Database describes one DBMS. It is a declaration: everything that lives is
// in the sessions that Connect opens. Members marked optional may be nil.
type Database struct {
	Name    string   // the folder's name: "postgresql"
	Title   string   // "PostgreSQL", as in "12345 NOPM from 28000 PostgreSQL TPM"
	Aliases []string // other names users know it by: "pg"

	// Absent says why this build of the program is without the database, and how to get one
	// that has it; "" where it has. What takes a driver may then be nil.
	Absent string

	// Tested lists the releases of the server that Sledge's tests run on, as their versions
	// begin: "15", "8.0". Embedded databases, which come with the program, need none.
	Tested []string

	// Relatives are other products that answer its sessions, and that Sledge was tested on.
	Relatives []Relative

	// Unproven says in a sentence what else of the database no server has run in Sledge's tests;
	// "" where that is nothing.
	Unproven string

	// Refuses says why the database is not for such a use; "" where it is. Optional: nil is
	// for any.
	Refuses func(use Use) string

	// Base is a compatible database whose SQL serves where this one has none, as
	// MySQL's does for MariaDB. Optional.
	Base *Database

	// Options returns a fresh option struct for such a use: the server, the accounts, and
	// what only this database offers for it.
	Options func(use Use) any

	// FromURL turns a URL whose scheme is one of Schemes into option values.
	Schemes []string
	FromURL func(u *url.URL) (option.Values, error)

	// ClientSettings finds what this database's own programs take as given, such as
	// PGHOST, ~/.pgpass and ~/.my.cnf. They are weaker than all that Sledge was told,
	// which given holds, and stronger than defaults, which those of use are. What it ignores for
	// a reason that the user should know it warns of. Optional.
	ClientSettings func(from Surroundings, use Use, given option.Values) (found []ClientSetting, warnings []string, err error)

	// SecretFiles lists files that connections read and that hold a secret and nothing else: private keys, tokens,
	// wallets. A job warns of those that others can read. Optional.
	SecretFiles func(options any) []string

	// Implied returns values of options that a user did not give and that the given options imply, and an error
	// if given options contradict each other. Defaults alone cannot decide it, because they do not show
	// which options a user gave. Optional.
	Implied func(given option.Values, names option.Names) (option.Values, error)

	// Library returns the vendor's library that sessions need beside the program, loaded, as a
	// message names it; or else an error that says where it was looked for and how to get
	// it. Optional: nil is where the driver is built in.
	Library func(options any) (string, error)

	// Target says in a few words which database the options mean, as error
	// messages and jobs show it: "tpcc on 127.0.0.1:5432". No password.
	Target func(options any) string

	// Processes are the names of the server's programs, as the system lists processes. Optional.
	Processes []string

	// File returns the path of the file of a database that works inside this process. Nil means that the
	// database works in a server.
	File func(options any) string

	// Servers returns the options of each server that the options name, in the order in which
	// Connect tries them. It serves callers that need to know which server a session uses.
	// Optional: nil if options name one server.
	Servers func(options any) []any

	// Create makes the account and the database that the schema goes into, where
	// they are missing. It is called before every build and changes nothing that
	// is there already. What it makes, and what the server is too old for so that the
	// build will leave it out, it tells. Optional.
	Create func(ctx context.Context, options any, tell func(job.Event)) error

	// Drop removes the database and the account around a dropped schema, if nothing else is in
	// them, and returns what it dropped and what it kept. Optional.
	Drop func(ctx context.Context, options any, d DropOptions) ([]DropResult, error)

	// Claim keeps others from building in the database, deleting from it, and, unless the
	// claim is shared, running on it, until release is called or the process ends. If another
	// claim is in the way, it fails with ErrClaimed at once. Optional: databases that have
	// sessions on a server have Schema.Claims.
	Claim func(ctx context.Context, options any, shared bool) (release func() error, err error)

	// Connect opens a session, and returns an error if the server does not respond in time. Its
	// errors name the server and what to do; ErrMissing means that the database does not exist.
	Connect func(ctx context.Context, options any, as Role) (Session, error)

	// Lacking lists the rights for a build that the user of a session of Admin's lacks, if the
	// server shows them. Optional.
	Lacking func(ctx context.Context, options any, s Session) ([]string, error)

	// Finish does what the options ask for after a run, such as a vacuum, and
	// tells what it does. It ends soon after ctx does, and puts back what it has changed on
	// the server whatever happens; where it cannot, its error is an UnrestoredError. Optional.
	Finish func(ctx context.Context, options any, tell func(job.Event)) error

	// MayFinish says why Finish could not do what the options ask for: its account cannot
	// connect, or lacks a right. Optional.
	MayFinish func(ctx context.Context, options any) error

	// Report returns how the server reports on itself within the measured time of a run, where
	// the options ask for that, and else nil. Optional.
	Report func(options any, measured time.Duration) *Report

	// Durability says by the server's settings, as the query server.settings lists them,
	// whether what was committed survives a power failure, and what decides that.
	// Optional.
	Durability func(settings map[string]string) (durable bool, why string)

	// SchemaName says what a schema is called that is made with these options.
	SchemaName func(options any) SchemaName

	// Routines is what the code is called that a build puts into the database. Optional:
	// nil is "stored procedures".
	Routines func(options any) string

	// Classify sorts an error of this database's driver. ReadsOnly reports whether an error
	// says that the server, or the session, takes no writes; it is optional.
	Classify  func(err error) meter.Class
	ReadsOnly func(err error) bool

	// CallersRights says that stored routines work by the rights of the user who calls them,
	// and not by those of the user who made them.
	CallersRights bool

	// Schema returns how the database keeps the schema of a workload, and Server what it
	// says of itself, given the SQL of the pair; plan is what scripts are expanded with.
	// Those of sqlschema serve every database that speaks SQL.
	Schema func(d *Database, sql *sqlfile.Library, plan any) Schema
	Server func(sql *sqlfile.Library) Server

	// ReadPlan makes lines of what Server.Explain and ExplainTimed return, and says of each
	// which step of the plan it is, if it is one: see job.PlanLine. Optional: nil where there
	// is neither.
	ReadPlan func(answer Table) []job.PlanLine

	Dialect Dialect
	SQL     fs.FS // sql/*.sql, and sql/<workload>/*.sql where portable SQL won't do; nil where Base's serves
}

// Embedded reports whether the database works inside this process.
func (d *Database) Embedded() bool { return d.File != nil }

// Relative is another product that answers the sessions of a database.
type Relative struct {
	Product string // its name, as Server.Product returns it

	// Limits says in a line what differs from the database itself and matters to a result, and Details
	// says in sentences which releases were tried and what does not work. Both are "" where nothing differs.
	Limits, Details string
}

// Use is how a workload uses a database, because some options depend on it. A database knows no
// workload by name.
type Use struct {
	// Name is what the account and the database of the schema are called unless the user
	// says otherwise: "tpcc".
	Name string

	// Analytic says that few queries read much of the data, in place of many short
	// transactions.
	Analytic bool
}

// UnrestoredError says that settings of the server could not be put back.
type UnrestoredError struct {
	Statements []string // that put them back
	Err        error    // why they were not run
}

// Error says which statements have to be run by hand.
func (e *UnrestoredError) Error() string {
	return fmt.Sprintf("THE SERVER MAY STILL HAVE SETTINGS THAT WERE MEANT FOR A MOMENT (%v): put them back with %s;",
		e.Err, strings.Join(e.Statements, "; "))
}

// Unwrap returns why they were not put back.
func (e *UnrestoredError) Unwrap() error { return e.Err }

// ErrMissing is what an error of Connect or Create is, by errors.Is, where the server
// is there and the database, or the file, is not.
var ErrMissing = errors.New("the database does not exist")

// ErrClaimed is what Claim fails with where another process has the claim.
var ErrClaimed = errors.New("another process works in the database")

// ErrNoLedger is what reading a ledger fails with where a table has its name and its
// columns, and lines that are of no build.
var ErrNoLedger = errors.New("a line of it is not of a build")

// Missing marks an error as one that is ErrMissing.
func Missing(err error) error { return missingError{err} }

type missingError struct{ error }

func (m missingError) Is(target error) bool { return target == ErrMissing }
func (m missingError) Unwrap() error        { return m.error }

// ConnectTimeout bounds an attempt to connect where nothing else is said: it is
// longer than an overloaded server takes, and a person waits.
const ConnectTimeout = 30 * time.Second

// DropOptions says what Drop finds around a schema that is deleted, and what it may drop.
type DropOptions struct {
	Others []string // what it holds besides the schema, in words
	Dry    bool     // only say what would become of what is around the schema: it is still there

	// Leftover says that there was no schema in it, so that only what a build is known
	// to have made may go.
	Leftover bool

	// Builder names the other program that built the schema, "" if none is known. Such a program
	// creates the database and the account and records nothing, so they are dropped as if a
	// build had created them.
	Builder string
}

// Drops reports whether the database, the file or the account around the schema is dropped if
// nothing else is in it. Created says that a build is known to have created it.
func (d DropOptions) Drops(created bool) bool { return created || d.Builder != "" && !d.Leftover }

// ErrUnfit: the database cannot hold a schema.
var ErrUnfit = errors.New("so no schema can be built in it")

// DropResult says whether a database, a file or an account goes with its schema.
type DropResult struct {
	Kind, Name string // "role", "tpcc"
	Stays      string // why it stays; "" if it goes
}

// NotCreated says that something stays because no build is known to have created it, and how
// the user drops it.
func NotCreated(command string) string {
	return "nothing shows that a build created it; if nothing needs it, drop it with " + command
}

// AlsoHolds says that a database stays for what else it holds.
func AlsoHolds(others []string) string {
	const few = 10
	if len(others) > few+1 {
		others = append(slices.Clone(others[:few]), fmt.Sprintf("%d more", len(others)-few))
	}
	return "it also holds " + strings.Join(others, ", ")
}

// Surroundings are where client settings are looked for.
type Surroundings struct {
	Variable func(name string) string // of the environment; "" where it is not set
	System   string                   // the folder of the machine's configuration: "/etc"; "" means none
}

// ClientSetting is a value for an option that the database's own programs would use.
type ClientSetting struct {
	Option string // its name
	Value  string
	Origin string // as messages name the place: "PGHOST", "line 3 of ~/.my.cnf"

	// Fallback marks a password that may be another account's: it is tried only
	// where the server refuses the default.
	Fallback bool
}

// PasswordError is a Connect that the server refused for the password.
type PasswordError struct {
	Option string // the name of the option that holds the password
	Called string // the front end's name for that option
	User   string
	Err    error // says what happened and what to do
}

// Error is what Connect says of it.
func (e *PasswordError) Error() string { return e.Err.Error() }

// Unwrap returns the error that says what happened.
func (e *PasswordError) Unwrap() error { return e.Err }

// ConnectError is a connection that could not be made, in our words: a driver does not know
// our options.
type ConnectError struct {
	Text    string // what happened and what to do
	Err     error  // the driver's, for Classify
	Missing bool   // the server says that there is no such database: it is ErrMissing
}

// Error returns Text, cut to job.LongestText bytes: a server may refuse a login with a message of 20 MB.
func (e *ConnectError) Error() string { return job.Cut(e.Text, job.LongestText) }

// Unwrap returns the driver's error.
func (e *ConnectError) Unwrap() error { return e.Err }

// Is makes one that says so ErrMissing.
func (e *ConnectError) Is(target error) bool { return target == ErrMissing && e.Missing }

// SchemaName is what a database calls a schema.
type SchemaName struct {
	Name  string
	Owner string // the account that it belongs to; "" where schemas belong to none
}

// Dialect spells what every database spells differently.
type Dialect struct {
	Placeholder func(n int) string           // $1, ?, @p1, :1
	Type        func(c schema.Column) string // the native type of a column
	Bytes       string                       // the type of a column of schema.Bytes

	// LongestBytes is how many bytes a value of that type may have, where it is not for more
	// than 100,000; 0 where it is.
	LongestBytes int

	KeyedTable string // what is written after a CREATE TABLE with a primary key

	// TellsCapitals says that a server may tell names of tables apart that differ in nothing
	// but capitals, though they are not quoted. The suite of sessions fails on a server that does
	// if this is false.
	TellsCapitals bool

	// Plain turns a value that a database/sql driver returns of a column of that type, as
	// the driver names types, into an int64, float64, string, []byte or time.Time. It is for
	// drivers that return others too, and never gets a nil. Optional.
	Plain func(columnType string, value any) any

	// QuotedFiles says that the database's own loader of files wants a value with
	// special characters in double quotes, as in CSV; else it wants backslashes
	// before them, as in load text.
	QuotedFiles bool
}

// Role says on whose behalf a session is opened.
type Role int

// The roles.
const (
	Owner    Role = iota // the user who owns the schema under test
	Builder              // the same user, who fills its tables
	Admin                // the user who may create and drop databases
	Observer             // the account that may read the server's own counts; needs no schema
)

// OwnsSchema reports whether a session of the role belongs to the user who owns the schema.
func (r Role) OwnsSchema() bool { return r == Owner || r == Builder }

// Session is one connection, held by one virtual user. It is not safe for
// concurrent use, Cancel and Interrupt excepted; that is what keeps it cheap.
type Session interface {
	// Prepare binds a query to two structs, either of which may be nil. Each
	// parameter :x is read from the field of in tagged sql:"x". Each field of out
	// is written from the result column its tag names; a column no field is tagged
	// for is passed over.
	//
	// Fields are int64, float64, string, []byte or time.Time, or sql.Null of one of
	// them; a nil []byte is NULL, too. A NULL that comes to a field that cannot be
	// NULL leaves its zero value. What comes to a []byte is overwritten by the next
	// row. Times are in UTC, to the microsecond.
	//
	// A field of in that is tagged sql:"x,out" or sql:"x,inout" is for an output
	// parameter of a routine, and written when it has run. Where the database has
	// none, the error is errors.ErrUnsupported.
	//
	// Binding is done once here, so that running allocates nothing of ours. After a
	// run nothing is kept of the values of in.
	//
	// A query may hold several statements where the database takes several in one
	// round trip; the last one that returns rows fills out.
	Prepare(ctx context.Context, q sqlfile.Query, in, out any) (Statement, error)

	// Exec runs one statement that returns nothing: DDL, SET, a script's lines.
	Exec(ctx context.Context, statement string) error

	// Query runs one statement and returns what it says as text, no more than
	// limit rows of it; 0 is all. For checks and look-ups, never for a workload.
	Query(ctx context.Context, statement string, limit int) (Table, error)

	Begin(ctx context.Context, access Access) error
	Commit(ctx context.Context) error

	// Rollback ends the current transaction. Without one it does nothing.
	Rollback(ctx context.Context) error

	// Load fills a table by the fastest way the database has, inside the current transaction if
	// there is one, and returns the number of rows. When it returns, no goroutine uses the rows
	// any more, including the driver's.
	Load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error)

	// Cancel asks the database to end the current statement, if any, and returns after sending the
	// request. The statement's call fails soon after; the session stays usable. It may be
	// called from another goroutine. A late request may end the next statement instead, so a
	// caller that cannot rule this out must be prepared for one more failure.
	Cancel(ctx context.Context) error

	// Interrupt ends the current call, if any, by breaking the session: afterwards only Close may
	// be called. It may be called from another goroutine. Because of Interrupt, virtual users
	// call the other methods with a context that is never cancelled, so drivers need no
	// goroutine to watch it.
	Interrupt()

	Close() error
}

// Access says what a transaction does, for databases that lock by it.
type Access int

// The kinds of access.
const (
	ReadWrite Access = iota
	ReadOnly
)

// Statement is a prepared query with its values bound.
type Statement interface {
	// Run executes the statement with the current values of in. For every row
	// it fills out and calls each, which may be nil. It returns the number of
	// rows read where there is an out, and else affected.
	Run(ctx context.Context, each func() error) (int64, error)
}

// Batch is a Statement that can run with the values of many rows in one call, by
// which a server is asked once and not for every row.
type Batch interface {
	Statement

	// RunMany executes the statement for each row: next puts the values of one into in,
	// or returns false where there are no more. It returns the number of rows affected.
	// Of the rows after one that fails, none is done; those before it may be, unless a
	// transaction is rolled back.
	RunMany(ctx context.Context, next func() bool) (int64, error)
}

// RunMany is a Batch's for any statement: where it cannot run with many rows at once,
// it runs with one after the other.
func RunMany(ctx context.Context, s Statement, next func() bool) (affected int64, err error) {
	if b, ok := s.(Batch); ok {
		return b.RunMany(ctx, next)
	}
	for next() {
		n, err := s.Run(ctx, nil)
		if err != nil {
			return affected, err
		}
		affected += n
	}
	return affected, nil
}

// RowsPerBatch bounds how many rows a Batch sends in one call, so that a server and its
// client need not hold more of them.
const RowsPerBatch = 1000

// Table is the answer to a Session's Query. A NULL is the text "NULL".
type Table struct {
	Columns []string
	Rows    [][]string
}
