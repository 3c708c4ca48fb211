package database

import (
	"context"

	"sledge/internal/schema"
)

// Schema is how the schema of a workload is kept in a database: what a build, a check
// and a deletion ask, whatever language the database speaks. Databases that speak SQL
// have it of sqlschema.New; any other fills it in itself. Each session is one of the
// owner's.
type Schema struct {
	// Relations tells what the names in the database stand for, by name, in lower case
	// where the database does not tell capitals apart.
	Relations func(ctx context.Context, s Session) (map[string]Relation, error)

	// Objects lists every user-made object in the database, so that a delete can keep objects that
	// are not ours.
	Objects func(ctx context.Context, s Session) ([]Object, error)

	// Create returns the statements that make the tables, empty, as Session.Exec takes
	// them.
	Create func(tables []schema.Table) ([]string, error)

	// Step returns the statements of a later step of the build: "indexes.TABLE" and
	// "finish.TABLE" once the table is loaded; "indexes", "references", "routines" and
	// "finish" once all of them are. "references.TABLE" follow "references", side by side
	// with those of other tables. None is needed for a step. Each statement can be
	// repeated, since a build may be interrupted after it.
	Step func(name string) ([]string, error)

	// Drop removes tables and routines. It may be asked in a transaction, for databases
	// that can take back a drop.
	Drop func(ctx context.Context, s Session, tables, routines []string) error

	Ledger Ledger

	// Keep makes a table beside the workload's own, in which runs note what the next one
	// has to know. Optional: nil where no workload with such a table is for the database.
	Keep func(ctx context.Context, s Session, t schema.Table) error

	// Foresee is told what a check is going to ask by Session.Query, one statement after the
	// other, for a database that answers over a copy of the rows, and makes that at once. It
	// says how many of the keys or rows it has read; total is 0 until it knows. Optional.
	Foresee func(ctx context.Context, s Session, statements []string, progress func(done, total int64)) error

	// Claims are how jobs know of each other. Optional: nil where the database has
	// Database.Claim, or no way to tell.
	Claims *Claims
}

// Relation is what a database has under one name.
type Relation struct {
	Kind    string // "table", or what else it is
	Schema  string // of the database, where those have several
	Columns []string
}

// Object is a user-made object in a database.
type Object struct {
	What   string // in words: "view sales"
	Bond   Bond
	Name   string // of the table or routine that the bond is to
	PartOf string // the table that it is in itself, as a foreign key is
}

// Bond is how an object belongs to a table.
type Bond string

// The bonds.
const (
	NoBond    Bond = ""
	IsTable   Bond = "table"   // the table of that name
	PartOf    Bond = "part"    // goes with the table of that name
	Upon      Bond = "upon"    // prevents the drop of the table of that name, or would be dropped with it
	IsRoutine Bond = "routine" // the routine of that name
)

// LedgerTable is what the ledger of a build is kept in, where that is a table. It
// stands beside the workload's tables while they are being built, and says which chunks
// are in them. A chunk and its line in the ledger are committed together, so a build
// that was killed at any moment goes on with just the chunks that are missing. When it
// is done the ledger is dropped.
var LedgerTable = schema.Table{
	Name: "sledge_build",
	Columns: []schema.Column{
		{Name: "entry", Type: schema.Varchar, Size: 200},
		{Name: "chunk"},
	},
	Key: []string{"entry", "chunk"},
}

// Ledger is how the ledger of a build is kept. Whether there is one Relations says, by
// LedgerTable's name and with its columns.
type Ledger struct {
	Create func(ctx context.Context, s Session) error
	Read   func(ctx context.Context, s Session) ([]LedgerLine, error)

	// Write adds an entry, in the current transaction if there is one. Entries are names of tables,
	// and identities of builds, which contain no quotes.
	Write func(ctx context.Context, s Session, line LedgerLine) error
	Drop  func(ctx context.Context, s Session) error
}

// LedgerLine says that a chunk of a table is loaded; of other entries the chunk is less
// than 0.
type LedgerLine struct {
	Entry string
	Chunk int
}

// Claims are how jobs know of each other by their sessions, which a server goes on working for
// though the client was killed. A build or a deletion claims the database for itself. Runs share
// their claim.
type Claims struct {
	// Take claims the database exclusively until the session is closed; Share shares the claim.
	// Neither waits for a conflicting claim. Close a session that could not claim.
	Take, Share func(ctx context.Context, s Session) (taken bool, err error)

	// Holder says in words who has the database for itself, and Sharers who share it, but
	// for the session that asks; "" and none if that cannot be seen.
	Holder  func(ctx context.Context, s Session) (string, error)
	Sharers func(ctx context.Context, s Session) ([]string, error)

	// Work says, to builds that may come later, that the session works for a build.
	Work func(ctx context.Context, s Session) error

	// Orphans lists the sessions that work for a build whose claim is gone.
	Orphans func(ctx context.Context, s Session) ([]Orphan, error)
}

// Orphan is a session that still works for a build that was killed.
type Orphan struct {
	Name string // as the server calls it: "connection 17"

	// End has the server end the session. It fails where that has ended meanwhile, and
	// where it may not be ended.
	End func(ctx context.Context, s Session) error
}
