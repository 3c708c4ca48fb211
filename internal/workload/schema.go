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

	// Size says which option is the amount of data. Optional.
	Size Size

	// Identity says in a few words what decides the initial rows, so that a build
	// is resumed only with what it was begun with: "4 warehouses, seed 1".
	Identity func(options any, seed uint64) string

	// Resumed returns the options for a build that goes on with one of that identity:
	// what they leave to the moment, such as a load time of now, is as it was then.
	// Optional.
	Resumed func(options any, identity string) any

	// Builders returns how many virtual users build the schema.
	Builders func(options any) int

	// Unbuildable says why no schema can have the rows that the options ask for, and which option
	// that is; "" if one can. Optional.
	Unbuildable func(options any) (option, why string)

	// Keeps is the table in which runs note the state of the schema, beside the workload's own
	// tables. Optional.
	Keeps *Keeping

	// DataFiles says how the initial rows are written to files. Optional.
	DataFiles *DataFiles

	// Rules are what check asks of a schema, besides that its tables and columns
	// are there.
	Rules []Rule

	// Inspect looks at what SQL alone cannot judge, after the tables were found to
	// be there. Optional.
	Inspect func(ctx context.Context, l Look) (Inspection, error)

	// Extent says in a few words how much data there is: "10 warehouses". Optional.
	Extent func(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error)

	// BuiltBy returns the name of the other program that loaded the rows, "" if it was Sledge or if
	// that cannot be told. All tables are there. Optional.
	BuiltBy func(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error)

	// Routines looks for the stored routines. Optional.
	Routines func(ctx context.Context, s database.Session, sql *sqlfile.Library) (Routines, error)
}

// Size is how much data a workload has.
type Size struct {
	Option string // says how much is built, a number: "warehouses"
	Unit   string // what it counts: "warehouses"
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
	// Size is how much data there is, as Schema.Size counts it; 0 where
	// that is not known.
	Size float64

	// Foreign names the builder of a schema whose data are known to break some
	// rules; it is "" where all rules apply.
	Foreign  string
	Findings []job.Finding
}

// BuiltByQuery returns a Schema.BuiltBy for a workload whose schemas one other program builds,
// too. The query foreign of the workload tells its rows from ours: it returns 0 for ours.
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
