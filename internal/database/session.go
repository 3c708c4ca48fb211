package database

import (
	"context"

	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// Sessions opens sessions, and classifies their errors.
type Sessions struct {
	// Library loads the vendor's library that sessions need, and returns its name for messages, or
	// an error that says where it was looked for and how to get it. Optional: nil if the driver is
	// built in.
	Library func(options any) (string, error)

	// Connect opens a session, and returns an error if the server does not respond in time. Its
	// errors name the server and what to do; ErrMissing means that the database does not exist.
	Connect func(ctx context.Context, options any, as Role) (Session, error)

	// Classify classifies an error of this database's driver. ReadsOnly reports whether an error
	// says that the server, or the session, accepts no writes; it is optional.
	Classify  func(err error) meter.Class
	ReadsOnly func(err error) bool

	// Explain returns what the server said in an error. Optional: nil if scripts do not run on this database.
	Explain func(err error) Explanation
}

// Explanation is a server's own description of an error. Fields that the database does not have are empty.
type Explanation struct {
	Number  int
	State   string // SQLSTATE
	Message string
}

// Role is the purpose of a session, which decides its account.
type Role int

// The roles.
const (
	Owner    Role = iota // the user who owns the schema under test
	Builder              // the same user, loading the tables
	Admin                // the user who may create and drop databases
	Observer             // an account that may read the server's own counts; needs no schema
	Watcher              // the owner, who watches the server; if possible in another database, so that nothing counts its transactions
)

// OwnsSchema reports whether a session of the role belongs to the user who owns the schema.
func (r Role) OwnsSchema() bool { return r == Owner || r == Builder }

// Session is one connection of one virtual user. Only Cancel and Interrupt are safe for concurrent
// use, which keeps sessions cheap.
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

	// Query runs one statement and returns its result as text: at most limit rows, or all if limit
	// is 0. It is for checks and look-ups; statements of a workload are prepared, except in scripts that ask for
	// text.
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
	AtOnce // as ReadWrite, but BEGIN is sent when the transaction begins and not with its first statement
)

// Statement is a prepared query with its values bound.
type Statement interface {
	// Run executes the statement with the current values of in. For each row it fills out and calls
	// each, which may be nil. It returns the number of rows read if there is an out, otherwise the
	// number of rows affected.
	Run(ctx context.Context, each func() error) (int64, error)
}

// Pipeliner is a Session that can send statements without waiting for the answers to those before.
type Pipeliner interface {
	// StartPipeline begins a pipeline: Run of statements sends them and returns 0 at once.
	StartPipeline(ctx context.Context) error

	// SyncPipeline ends the implicit transaction of the statements so far. If one of them fails, those after
	// it are executed.
	SyncPipeline(ctx context.Context) error

	// EndPipeline waits for all answers. It returns the first error of a statement.
	EndPipeline(ctx context.Context) error
}

// Texter is a Session that executes any text as a script sends it.
type Texter interface {
	// ExecText executes a text of one or several statements that are not known before. The last result that has
	// columns fills out, row by row, and each is called for each row; it may be nil. It returns the number of rows
	// read, or without such a result the number of rows affected. The text is not kept.
	ExecText(ctx context.Context, text string, out *Cells, each func() error) (int64, error)
}

// Batch is a Statement that can run with the values of many rows in one call, so that the server
// gets one request instead of one for each row.
type Batch interface {
	Statement

	// RunMany executes the statement for each row: next puts the values of a row into in, or
	// returns false after the last one. It returns the number of rows affected. If a row fails,
	// later rows are not executed. Earlier rows may remain, unless the transaction is rolled back.
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
