// Package workload says what the rest of the program needs of a workload.
//
// Each folder below is one workload. It declares one value of type Workload;
// the catalog lists them. A workload never imports a particular database.
package workload

import (
	"io/fs"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/option"
)

// Workload describes one workload. Like a Database, it is a declaration. Each of its parts can be
// read alone; members marked optional may be nil.
type Workload struct {
	Name    string   // the folder's name, and the user's: "tprocc"
	Title   string   // "TPROC-C"
	Aliases []string // other names users know it by
	Default bool     // whether it is meant where none is chosen; one workload is
	Kinds   []Kind   // its transactions, in the order of meter.Kind

	Options func() any   // a pointer to a new option struct
	Use     database.Use // what it asks of a database's own options

	Schema   Schema   // its tables and rows: what builds make, and checks look at
	Users    Users    // how virtual users work on the schema
	Evidence Evidence // what shows whether a run's counts are true
	Score    Score    // the headline figures

	// Modes are the workload's own ways to run, in which the manual shows what becomes of each
	// option. Optional.
	Modes []Mode

	// Variants are the ways to build and to run it that a suite tries on each database, in
	// that order: those without Build values run on what the one before left.
	Variants []Variant

	SQL fs.FS // sql/ansi/*.sql and sql/<database>/*.sql
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
