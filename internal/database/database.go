// Package database declares what the rest of the program needs from a DBMS.
//
// Each folder below is one DBMS. It declares one value of type Database; the catalog lists them. A
// database never imports a workload.
package database

import (
	"io/fs"

	"sledge/internal/job"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// Database describes one DBMS. It is a declaration without state; the sessions that Connect opens
// have state. Each of its parts can be read alone; members marked optional may be nil.
type Database struct {
	Name    string   // the folder's name: "postgresql"
	Title   string   // "PostgreSQL", as in "12345 NOPM from 28000 PostgreSQL TPM"
	Aliases []string // other names users know it by: "pg"

	// Absent says why this build of the program lacks the database, and how to get a build that has
	// it; "" if this build has it. If it is not "", members that need the driver may be nil.
	Absent string

	// Refuses returns why the database does not support a use; "" if it does. Optional: nil
	// supports any use.
	Refuses func(use Use) string

	Tested    Tested    // what Sledge's tests have shown of it
	Options   Options   // the server, the accounts, and where they are read from
	Container Container // what contains a schema: the account and the database, or the file
	Sessions  Sessions  // connections, and their errors
	Runs      Runs      // what the server can do around a run

	// Schema and Server return the functions that work on a schema and on the server, by the SQL of
	// the pair; plan fills in the templates of scripts. Databases with SQL use those of package
	// sqlschema.
	Schema func(d *Database, sql *sqlfile.Library, plan any) Schema
	Server func(sql *sqlfile.Library) Server

	// StandIn answers in place of a server, for sledge ceiling. Optional.
	StandIn *StandIn

	Dialect Dialect
	SQL     fs.FS // sql/*.sql, and sql/<workload>/*.sql where portable SQL is not enough; nil if Base's is used

	// Base is a compatible database whose SQL is used where this one has none, such as MySQL for
	// MariaDB. Optional.
	Base *Database
}

// Embedded reports whether the database is part of this process.
func (d *Database) Embedded() bool { return d.Options.File != nil }

// Dialect holds the syntax that differs between databases.
type Dialect struct {
	Placeholder func(n int) string           // $1, ?, @p1, :1
	Type        func(c schema.Column) string // the native type of a column
	Bytes       string                       // the type of a column of schema.Bytes

	// LongestBytes is the maximum length of a value of type Bytes; 0 if it is more than 100,000
	// bytes.
	LongestBytes int

	KeyedTable string // appended to a CREATE TABLE with a primary key

	// TellsCapitals says that unquoted names of tables may be case-sensitive. If it is false and a
	// server is case-sensitive, the suite of sessions fails.
	TellsCapitals bool

	// Plain converts a value from a database/sql driver into an int64, float64, string, []byte or
	// time.Time, for drivers that also return other types. columnType is the driver's name for the
	// column's type. Plain is not called for NULL. Optional.
	Plain func(columnType string, value any) any

	// QuotedFiles says that the database's own file loader expects a value with special characters
	// in double quotes, as in CSV. Otherwise it expects backslashes before them, as in load text.
	// TestFiles_AreLoadedByTheDatabasesPrograms proves it.
	QuotedFiles bool

	// ReadPlan splits the answer of Server.Explain or ExplainTimed into lines, and marks the lines
	// that are steps of the plan: see job.PlanLine. Optional: nil if the server explains no plans.
	ReadPlan func(answer Table) []job.PlanLine

	// Routines names the code that a build puts into the database. Optional: nil means "stored
	// procedures".
	Routines func(options any) string
}
