// Package workload defines what the rest of the program needs from a workload.
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

// Workload describes one workload. Like a Database, it is a declaration. Fields marked optional may
// be nil.
type Workload struct {
	Name    string   // the name of the folder and in options: "tprocc"
	Title   string   // "TPROC-C"
	Aliases []string // other accepted names
	Default bool     // whether it is used if the user chooses none; true for one workload
	Kinds   []Kind   // its transactions, in the order of meter.Kind

	// Files are the files of a workload that was read from a folder, by their paths in it; nil for a
	// workload of this program. A job's spec contains them, so that the job can be repeated.
	Files map[string]string

	Options func() any   // a pointer to a new option struct
	Use     database.Use // which of a database's own options it uses

	Schema   Schema   // the tables and rows that a build makes and a check verifies
	Users    Users    // how virtual users work on the schema
	Evidence Evidence // what shows whether a run's counts are true
	Score    Score    // the headline figures

	// Modes are ways to run the workload. The manual shows the effect of each option in each mode.
	// Optional.
	Modes []Mode

	// Variants are the ways to build and run the workload that a suite tries on each database, in
	// that order. A variant without Build values uses the schema of the variant before.
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

// KindNamed returns the kind with a name. It ignores how words are joined: new_order, neworder and
// "new order" are the same.
func (w *Workload) KindNamed(name string) (kind meter.Kind, found bool) {
	for i, k := range w.Kinds {
		if option.SameName(k.Name, name) {
			return meter.Kind(i), true
		}
	}
	return 0, false
}

// Variant is one way to build and run a workload, small and short, that the common test suite tries
// on each database. A pair of database and workload has the variant if it has all options that the
// variant sets.
type Variant struct {
	Name string

	// Build and Run are option values. Run's are added to Build's.
	Build, Run option.Values

	// Option is one more option that the pair must have, and SQL is a file that it must have:
	// "routines". Both may be "".
	Option, SQL string

	// RoundTrips is the least and the largest mean number of round trips per transaction, if the
	// database is on a network.
	RoundTrips [2]float64

	// Without lists prefixes of the kinds of transaction that do not occur in this variant.
	Without []string

	// Afar means that only sledge selftest tries the variant; the project's tests skip it, because
	// it shows nothing new on their servers.
	Afar bool

	// Test means that Run sets up a test run. Its users show each transaction and do enough
	// iterations for every kind.
	Test bool
}

// Mode is a way to run a workload, with the settings that choose it.
type Mode struct {
	Name  string
	Set   string // options, as name=value, with spaces between; "" for the defaults
	Users int    // virtual users; 0 for several
}
