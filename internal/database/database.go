// Package database declares what the rest of the program needs from a DBMS.
//
// Each folder below is one DBMS. It declares one value of type Database; the catalog lists them. A
// database never imports a workload.
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

// Database describes one DBMS. It is a declaration without state; the sessions that Connect opens
// have state. Members marked optional may be nil.
type Database struct {
	Name    string   // the folder's name: "postgresql"
	Title   string   // "PostgreSQL", as in "12345 NOPM from 28000 PostgreSQL TPM"
	Aliases []string // other names users know it by: "pg"

	// Absent says why this build of the program lacks the database, and how to get a build that has
	// it; "" if this build has it. If it is not "", members that need the driver may be nil.
	Absent string

	// Tested lists the releases of the server that Sledge's tests run on, by the beginning of their
	// versions: "15", "8.0". Embedded databases are part of the program and need none.
	Tested []string

	// Relatives are other products that understand its sessions and that Sledge was tested on.
	Relatives []Relative

	// Unproven says in a sentence what else of the database no test of Sledge has run on a server;
	// "" if there is nothing else.
	Unproven string

	// Refuses returns why the database does not support a use; "" if it does. Optional: nil
	// supports any use.
	Refuses func(use Use) string

	// Base is a compatible database whose SQL is used where this one has none, such as MySQL for
	// MariaDB. Optional.
	Base *Database

	// Options returns a fresh option struct for a use: the server, the accounts, and the options
	// that only this database has.
	Options func(use Use) any

	// FromURL converts a URL with one of Schemes into option values.
	Schemes []string
	FromURL func(u *url.URL) (option.Values, error)

	// ClientSettings finds the settings of this database's own programs, such as PGHOST, ~/.pgpass
	// and ~/.my.cnf. The settings in given override them, and they override the defaults of use. It
	// warns about settings that it ignores, if the user should know. Optional.
	ClientSettings func(from Surroundings, use Use, given option.Values) (found []ClientSetting, warnings []string, err error)

	// SecretFiles lists files that connections read and that hold only a secret: private keys,
	// tokens, wallets. A job warns if others can read them. Optional.
	SecretFiles func(options any) []string

	// Implied returns values of options that the user did not give and that the given options
	// imply, and an error if given options contradict each other. Defaults cannot do this, because
	// they do not show which options a user gave. Optional.
	Implied func(given option.Values, names option.Names) (option.Values, error)

	// Library loads the vendor's library that sessions need, and returns its name for messages, or
	// an error that says where it was looked for and how to get it. Optional: nil if the driver is
	// built in.
	Library func(options any) (string, error)

	// Target names the database that the options select, for error messages and jobs: "tpcc on
	// 127.0.0.1:5432". It contains no password.
	Target func(options any) string

	// Processes are the names of the server's programs in the list of processes. Optional.
	Processes []string

	// File returns the path of an embedded database's file. It is nil for a database with a server.
	File func(options any) string

	// Servers returns the options of each server that the options name, in the order in which
	// Connect tries them. Callers use it to find out which server a session uses. Optional: nil if
	// options name one server.
	Servers func(options any) []any

	// Create creates the account and the database for the schema if they are missing. It is called
	// before every build and changes nothing that exists. It emits what it creates, and what the
	// build will leave out because the server is too old. Optional.
	Create func(ctx context.Context, options any, tell func(job.Event)) error

	// Drop removes the database and the account around a dropped schema, if nothing else is in
	// them, and returns what it dropped and what it kept. Optional.
	Drop func(ctx context.Context, options any, d DropOptions) ([]DropResult, error)

	// Claim excludes builds, deletions and, unless the claim is shared, runs of others from the
	// database, until release is called or the process ends. If another claim conflicts, it fails
	// with ErrClaimed at once. Optional: databases with sessions on a server have Schema.Claims.
	Claim func(ctx context.Context, options any, shared bool) (release func() error, err error)

	// Connect opens a session, and returns an error if the server does not respond in time. Its
	// errors name the server and what to do; ErrMissing means that the database does not exist.
	Connect func(ctx context.Context, options any, as Role) (Session, error)

	// Lacking lists the rights for a build that the user of an Admin session lacks, if the server
	// shows them. Optional.
	Lacking func(ctx context.Context, options any, s Session) ([]string, error)

	// Finish does the post-run maintenance that the options ask for, such as a vacuum, and emits
	// its steps. It ends soon after ctx does, and always restores settings that it has changed on
	// the server. If it cannot, its error is an UnrestoredError. Optional.
	Finish func(ctx context.Context, options any, tell func(job.Event)) error

	// MayFinish says why Finish could not do what the options ask for: its account cannot connect,
	// or lacks a right. Optional.
	MayFinish func(ctx context.Context, options any) error

	// Report returns how the server reports on the measured time of a run, if the options ask for
	// that, and otherwise nil. Optional.
	Report func(options any, measured time.Duration) *Report

	// Durability says whether committed data survive a power failure, and which settings decide
	// that. The settings are those that the query server.settings lists. Optional.
	Durability func(settings map[string]string) (durable bool, why string)

	// SchemaName returns the name of the schema that these options create.
	SchemaName func(options any) SchemaName

	// Routines names the code that a build puts into the database. Optional: nil means "stored
	// procedures".
	Routines func(options any) string

	// Classify classifies an error of this database's driver. ReadsOnly reports whether an error
	// says that the server, or the session, accepts no writes; it is optional.
	Classify  func(err error) meter.Class
	ReadsOnly func(err error) bool

	// CallersRights says that stored routines run with the rights of the user who calls them, not
	// with those of the user who created them.
	CallersRights bool

	// Schema returns how the database keeps the schema of a workload, and Server how to query the
	// server, from the SQL of the pair; plan expands the templates of scripts. Those of sqlschema
	// serve every database with SQL.
	Schema func(d *Database, sql *sqlfile.Library, plan any) Schema
	Server func(sql *sqlfile.Library) Server

	// ReadPlan splits the answer of Server.Explain or ExplainTimed into lines, and marks the lines
	// that are steps of the plan: see job.PlanLine. Optional: nil if the server explains no plans.
	ReadPlan func(answer Table) []job.PlanLine

	Dialect Dialect
	SQL     fs.FS // sql/*.sql, and sql/<workload>/*.sql where portable SQL is not enough; nil if Base's is used
}

// Embedded reports whether the database is part of this process.
func (d *Database) Embedded() bool { return d.File != nil }

// Relative is another product that understands the sessions of a database.
type Relative struct {
	Product string // its name, as Server.Product returns it

	// Limits says in a line how the product differs from the database itself, if it matters to a
	// result. Details says in sentences which releases were tested and what does not work. Both are
	// "" if nothing differs.
	Limits, Details string
}

// Use describes how a workload uses a database, because some options depend on it. A database knows
// no workload by name.
type Use struct {
	// Name is the default name of the account and the database of the schema: "tpcc".
	Name string

	// Analytic says that the workload has few queries that read much data, instead of many short
	// transactions.
	Analytic bool
}

// UnrestoredError says that settings of the server could not be restored.
type UnrestoredError struct {
	Statements []string // that put them back
	Err        error    // why they were not executed
}

// Error lists the statements that the user must run.
func (e *UnrestoredError) Error() string {
	return fmt.Sprintf("THE SERVER MAY STILL HAVE TEMPORARY SETTINGS (%v): restore them with %s;",
		e.Err, strings.Join(e.Statements, "; "))
}

// Unwrap returns why they were not restored.
func (e *UnrestoredError) Unwrap() error { return e.Err }

// ErrMissing marks an error of Connect or Create (by errors.Is): the server exists, but the
// database, its account or the file does not.
var ErrMissing = errors.New("the database does not exist")

// ErrNoAccount marks an error of Connect that is ErrMissing (by errors.Is): the account does not
// exist. Nothing is known of the database then.
var ErrNoAccount = errors.New("the account does not exist")

// ErrClaimed is the error of Claim if another process has the claim.
var ErrClaimed = errors.New("another process works in the database")

// ErrNoBuildLog is the error of reading a build log if a table has its name and columns, but its
// lines belong to no build.
var ErrNoBuildLog = errors.New("one of its lines does not belong to a build")

// Missing marks an error as ErrMissing.
func Missing(err error) error { return missingError{err} }

type missingError struct{ error }

func (m missingError) Is(target error) bool { return target == ErrMissing }
func (m missingError) Unwrap() error        { return m.error }

// ConnectTimeout is the default limit of an attempt to connect. It is longer than an overloaded
// server needs, but a person is waiting.
const ConnectTimeout = 30 * time.Second

// DropOptions tell Drop what surrounds the deleted schema, and what it may drop.
type DropOptions struct {
	Others []string // the other contents of the database, in words
	Dry    bool     // only report what would happen to the database and the account: the schema still exists

	// Leftover says that there was no schema, so Drop may only remove what a build is known to have
	// created.
	Leftover bool

	// Builder names the other program that built the schema, "" if none is known. Such a program
	// creates the database and the account and records nothing, so they are dropped as if a
	// build had created them.
	Builder string
}

// Drops reports whether to drop the database, the file or the account if nothing else is in it.
// Created says that a build is known to have created it.
func (d DropOptions) Drops(created bool) bool { return created || d.Builder != "" && !d.Leftover }

// ErrUnfit: the database cannot hold a schema.
var ErrUnfit = errors.New("so no schema can be built in it")

// DropResult says whether a database, a file or an account is dropped with its schema.
type DropResult struct {
	Kind, Name string // "role", "tpcc"
	Stays      string // why it stays; "" if it goes
}

// NotCreated returns the reason for keeping something that no build is known to have created, with
// the statement that drops it.
func NotCreated(command string) string {
	return "nothing shows that a build created it; if nothing needs it, drop it with " + command
}

// AlsoHolds returns the reason for keeping a database that holds anything else.
func AlsoHolds(others []string) string {
	const few = 10
	if len(others) > few+1 {
		others = append(slices.Clone(others[:few]), fmt.Sprintf("%d more", len(others)-few))
	}
	return "it also holds " + strings.Join(others, ", ")
}

// Surroundings are the places that are searched for client settings.
type Surroundings struct {
	Variable func(name string) string // a variable of the environment; "" if it is not set
	System   string                   // the machine's configuration folder: "/etc"; "" means none
}

// ClientSetting is the value of an option in the settings of the database's own programs.
type ClientSetting struct {
	Option string // its name
	Value  string
	Origin string // the place, for messages: "PGHOST", "line 3 of ~/.my.cnf"

	// Fallback marks a password that may belong to another account: it is tried only if the server
	// refuses the default.
	Fallback bool
}

// PasswordError is an error of Connect: the server refused the password.
type PasswordError struct {
	Option string // the name of the option that holds the password
	Called string // the front end's name for that option
	User   string
	Err    error // says what happened and what to do
}

// Error returns the text of the connection error.
func (e *PasswordError) Error() string { return e.Err.Error() }

// Unwrap returns the connection error.
func (e *PasswordError) Unwrap() error { return e.Err }

// ConnectError is a failed connection, in our words, because a driver does not know our options.
type ConnectError struct {
	Text    string // what happened and what to do
	Err     error  // the driver's, for Classify
	Missing bool   // the server says that the database or the account does not exist: the error is ErrMissing
}

// Error returns Text, cut to job.LongestText bytes, because a server may refuse a login with a
// message of 20 MB.
func (e *ConnectError) Error() string { return job.Cut(e.Text, job.LongestText) }

// Unwrap returns the driver's error.
func (e *ConnectError) Unwrap() error { return e.Err }

// Is makes the error ErrMissing if Missing is set.
func (e *ConnectError) Is(target error) bool { return target == ErrMissing && e.Missing }

// SchemaName is the name of a schema in a database.
type SchemaName struct {
	Name  string
	Owner string // the account that owns it; "" if schemas have no owner
}

// Dialect holds the syntax that differs between databases.
type Dialect struct {
	Placeholder func(n int) string           // $1, ?, @p1, :1
	Type        func(c schema.Column) string // the native type of a column
	Bytes       string                       // the type of a column of schema.Bytes

	// LongestBytes is the longest value of that type, in bytes; 0 if it is more than 100,000.
	LongestBytes int

	KeyedTable string // appended to a CREATE TABLE with a primary key

	// TellsCapitals says that unquoted names of tables may be case-sensitive. If it is false and a
	// server is case-sensitive, the suite of sessions fails.
	TellsCapitals bool

	// Plain converts a value that a database/sql driver returns for a column of that type, by the
	// driver's name, into an int64, float64, string, []byte or time.Time. It is for drivers that
	// also return other types. It never gets nil. Optional.
	Plain func(columnType string, value any) any

	// QuotedFiles says that the database's own file loader expects a value with special characters
	// in double quotes, as in CSV. Otherwise it expects backslashes before them, as in load text.
	QuotedFiles bool
}

// Role is the purpose of a session, which decides its account.
type Role int

// The roles.
const (
	Owner    Role = iota // the user who owns the schema under test
	Builder              // the same user, loading the tables
	Admin                // the user who may create and drop databases
	Observer             // an account that may read the server's own counts; needs no schema
)

// OwnsSchema reports whether a session of the role belongs to the user who owns the schema.
func (r Role) OwnsSchema() bool { return r == Owner || r == Builder }

// Session is one connection of one virtual user. It is not safe for concurrent use, except for
// Cancel and Interrupt, which keeps it cheap.
type Session interface {
	// Prepare binds a query to two structs, either of which may be nil. Each parameter :x is read
	// from the field of in with the tag sql:"x". Each field of out is written from the result
	// column that its tag names; columns without a field are ignored.
	//
	// Fields are int64, float64, string, []byte or time.Time, or sql.Null of one of them; a nil
	// []byte is also NULL. If a field cannot be NULL, a NULL sets it to its zero value. The next
	// row overwrites the contents of a []byte. Times are in UTC, to the microsecond.
	//
	// A field of in with the tag sql:"x,out" or sql:"x,inout" is an output parameter of a routine,
	// and is written after the call. If the database has no output parameters, the error is
	// errors.ErrUnsupported.
	//
	// Binding happens once, so running allocates nothing. The values of in are not kept after a
	// run.
	//
	// A query may hold several statements if the database takes several in one round trip; the last
	// one that returns rows fills out.
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

// Access says what a transaction does, for databases whose locks depend on it.
type Access int

// The kinds of access.
const (
	ReadWrite Access = iota
	ReadOnly
)

// Statement is a prepared query with its values bound.
type Statement interface {
	// Run executes the statement with the current values of in. For each row it fills out and calls
	// each, which may be nil. It returns the number of rows read if there is an out, otherwise the
	// number of rows affected.
	Run(ctx context.Context, each func() error) (int64, error)
}

// Batch is a Statement that can run with the values of many rows in one call, so that the server
// gets one request instead of one for each row.
type Batch interface {
	Statement

	// RunMany executes the statement for each row: next puts the values of a row into in, or
	// returns false after the last one. It returns the number of rows affected. If a row fails, no
	// later row is done; earlier rows may be done, unless the transaction is rolled back.
	RunMany(ctx context.Context, next func() bool) (int64, error)
}

// RunMany runs any statement for many rows: in one call if it is a Batch, otherwise row by row.
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

// RowsPerBatch limits the rows of one call of a Batch, so that server and client need not hold more
// of them.
const RowsPerBatch = 1000

// Table is the answer of Session.Query. A NULL is the text "NULL".
type Table struct {
	Columns []string
	Rows    [][]string
}
