package database

import (
	"context"
	"errors"

	"sledge/internal/schema"
)

// Schema keeps the schema of a workload in a database: the functions that builds, checks and
// deletions need, in any language of the database. Databases with SQL get it from sqlschema.New;
// others implement it. Each session belongs to the owner.
type Schema struct {
	// Relations returns the objects with the given names, by name. Names are in lower case if the
	// database is not case-sensitive.
	Relations func(ctx context.Context, s Session) (map[string]Relation, error)

	// Objects lists every user-made object in the database, so that a delete can keep objects that
	// are not ours.
	Objects func(ctx context.Context, s Session) ([]Object, error)

	// Create returns the statements that create the empty tables, for Session.Exec.
	Create func(tables []schema.Table) ([]string, error)

	// Step returns the statements of a later step of the build: "indexes.TABLE" and "finish.TABLE"
	// when the table is loaded; "indexes", "references", "routines" and "finish" when all tables
	// are. "references.TABLE" follow "references", side by side with those of other tables. Each
	// step may be empty. Each statement can be repeated, because a build may be interrupted after
	// it.
	Step func(name string) ([]string, error)

	// Drop removes tables and routines. It may run in a transaction, on databases that can roll
	// back a drop.
	Drop func(ctx context.Context, s Session, tables, routines []string) error

	BuildLog BuildLog

	// Keep creates a table beside the workload's own, in which runs record state for the next run.
	// Optional: nil if no workload with such a table supports the database.
	Keep func(ctx context.Context, s Session, t schema.Table) error

	// Foresee announces the statements that a check is going to run by Session.Query. A database
	// that answers them from a copy of the rows makes the copy at once, and reports how many keys
	// or rows it has read; total is 0 until it is known. Optional.
	Foresee func(ctx context.Context, s Session, statements []string, progress func(done, total int64)) error

	// Claims tell jobs about each other. Optional: nil if the database has Container.Claim, or
	// cannot be claimed.
	Claims *Claims
}

// Relation is the object with a given name.
type Relation struct {
	Kind    string // "table", or another kind of object
	Schema  string // of the database, if it has several
	Columns []string
}

// Object is a user-made object in a database.
type Object struct {
	What   string // in words: "view sales"
	Bond   Bond
	Name   string // the table or routine that the object belongs to
	PartOf string // the table that contains it, for a foreign key
}

// Bond is the relation of an object to a table or routine.
type Bond string

// The bonds.
const (
	NoBond    Bond = ""
	IsTable   Bond = "table"   // it is the table of that name
	PartOf    Bond = "part"    // it is dropped with the table of that name
	Upon      Bond = "upon"    // it prevents the drop of the table of that name, or would be dropped with it
	IsRoutine Bond = "routine" // it is the routine of that name
)

// BuildLogTable is the table of a build's log, if the database has tables. It exists beside the
// workload's tables during a build, and lists the chunks that are loaded. A chunk and its line in
// the log are committed together, so a build that was killed at any moment resumes with exactly the
// missing chunks. At the end of the build, the log is dropped.
var BuildLogTable = schema.Table{
	Name: "sledge_build",
	Columns: []schema.Column{
		{Name: "entry", Type: schema.Varchar, Size: 200},
		{Name: "chunk"},
	},
	Key: []string{"entry", "chunk"},
}

// BuildLog keeps the log of a build. Relations shows whether there is one, by BuildLogTable's name and
// columns.
type BuildLog struct {
	Create func(ctx context.Context, s Session) error
	Read   func(ctx context.Context, s Session) ([]BuildLogLine, error)

	// Write adds an entry, in the current transaction if there is one. Entries are names of tables,
	// and identities of builds, which contain no quotes.
	Write func(ctx context.Context, s Session, line BuildLogLine) error
	Drop  func(ctx context.Context, s Session) error
}

// ErrNoBuildLog is the error of reading a build log if a table has its name and columns, but its
// lines belong to no build.
var ErrNoBuildLog = errors.New("one of its lines does not belong to a build")

// BuildLogLine records that a chunk of a table is loaded. Other entries, such as the build's
// identity, have a negative chunk.
type BuildLogLine struct {
	Entry string
	Chunk int
}

// Claims tell jobs about each other through their sessions, because a server may go on working in a
// session after its client was killed. A build or a deletion claims the database for itself. Runs
// share their claim.
type Claims struct {
	// Take claims the database exclusively until the session is closed; Share shares the claim.
	// Neither waits for a conflicting claim. Close a session that could not claim.
	Take, Share func(ctx context.Context, s Session) (taken bool, err error)

	// Holder names the holder of the exclusive claim, and Sharers name the others that share the
	// claim, in words; "" and none if the user may not see them.
	Holder  func(ctx context.Context, s Session) (string, error)
	Sharers func(ctx context.Context, s Session) ([]string, error)

	// Work marks the session as working for a build, so that later builds find it by Orphans.
	Work func(ctx context.Context, s Session) error

	// Orphans lists the sessions that work for a build whose claim is gone.
	Orphans func(ctx context.Context, s Session) ([]Orphan, error)
}

// Orphan is a session that still works for a build that was killed.
type Orphan struct {
	Name string // the server's name for it: "connection 17"

	// End ends the session on the server. It fails if the session has ended already, or may not be
	// ended.
	End func(ctx context.Context, s Session) error
}
