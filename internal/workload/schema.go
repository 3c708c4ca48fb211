package workload

import (
	"context"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// Schema describes the tables and rows of a workload: a build makes them, a check compares them
// with the rules, and a deletion drops them.
type Schema struct {
	// Tables returns the tables with their initial rows, in the order in which they are built.
	// Equal options and seed give equal rows.
	Tables func(options any, seed uint64) []schema.Table

	// Size names the option for the amount of data. Optional.
	Size Size

	// Identity describes everything that decides the initial rows: "4 warehouses, seed 1". A build
	// is resumed only if its identity is the same.
	Identity func(options any, seed uint64) string

	// Resumed returns the options for resuming a build with that identity. An option whose default
	// depends on the time, such as the load time, keeps the value of the first attempt. Optional.
	Resumed func(options any, identity string) any

	// Builders returns how many virtual users build the schema.
	Builders func(options any) int

	// Unbuildable names an option whose value makes the schema impossible, and says why. Both are
	// "" if the schema can be built. Optional.
	Unbuildable func(options any) (option, why string)

	// Keeps is an additional table in which runs record the state of the schema. Optional.
	Keeps *Keeping

	// DataFiles says how the initial rows are written to files. Optional.
	DataFiles *DataFiles

	// Rules are the conditions that a check verifies after it has found all tables and columns.
	Rules []Rule

	// Inspect checks what SQL alone cannot, after all tables were found. Optional.
	Inspect func(ctx context.Context, l Look) (Inspection, error)

	// Extent describes the amount of data: "10 warehouses". Optional.
	Extent func(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error)

	// BuiltBy returns the name of the other program that loaded the rows, or "" if Sledge did or if
	// the rows do not show it. All tables exist when it is called. Optional.
	BuiltBy func(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error)

	// Routines looks for the stored routines. Optional.
	Routines func(ctx context.Context, s database.Session, sql *sqlfile.Library) (Routines, error)
}

// Size is how much data a workload has.
type Size struct {
	Option string // the option with the amount, a number: "warehouses"
	Unit   string // what it counts: "warehouses"
}

// Keeping is the table in which runs record the state of a schema, so that the next run continues
// from there. The first run that needs the table creates it, whichever program built the schema,
// and it is dropped with the schema.
type Keeping struct {
	Table  schema.Table
	Wanted func(options any) bool // whether a run with these options writes to it

	// Proof means that a build creates the table at its end, and that a deletion needs it: tables of the
	// workload may be named and made like those of other programs.
	Proof bool
}

// Look is what Inspect works with.
type Look struct {
	Session database.Session
	SQL     *sqlfile.Library
	Options any
	Kept    bool // the table of Keeping exists

	// Progress reports how far a long inspection has come.
	Progress func(what string, done, total int64)
}

// Routines are the stored routines whose names are those of a workload's routines, in the form that
// DROP takes.
type Routines struct {
	Own    []string // proven to belong to a schema of this workload
	Others []string // not proven; a build refuses to replace them
}

// Rule is a condition that a check verifies. Its query, "check.<Name>", returns the rows that break
// the rule.
type Rule struct {
	Name   string // "consistency_1"
	Title  string // "W_YTD = sum(D_YTD)"
	Source string // "TPC-C 3.3.2.1"

	// Begins is how a check announces the rule: "consistency 1". It is "" for a rule about the
	// tables, which are checked first.
	Begins string

	// Foreign explains why a schema of another program cannot meet the rule; "" if it can.
	Foreign string

	// Known describes a defect of another program that breaks the rule, or is "". The query
	// "check.<Name>_known" then returns one row: how many rows break the rule, and how many of
	// these the defect explains to the cent.
	Known string
}

// Inspection is the result of Inspect.
type Inspection struct {
	// Size is the amount of data, in the unit of Schema.Size; 0 if it is unknown.
	Size float64

	// Foreign names the program that built the schema if its data are known to break some rules; ""
	// if all rules apply.
	Foreign  string
	Findings []job.Finding
}

// BuiltByQuery returns a Schema.BuiltBy for a workload whose schemas one other program builds, too.
// The workload's query "foreign" returns 0 if Sledge loaded the rows.
func BuiltByQuery(other string) func(context.Context, database.Session, *sqlfile.Library) (string, error) {
	return func(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error) {
		q, err := sql.Query("foreign")
		if err != nil {
			return "", err
		}
		t, err := s.Query(ctx, q.Text, 1)
		if err != nil {
			return "", fmt.Errorf("find out which program loaded the rows: %w", err)
		}
		if t.Rows[0][0] == "0" {
			return "", nil
		}
		return other, nil
	}
}
