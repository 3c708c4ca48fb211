// Package workloadtest runs, as Go tests, the suite that every workload must pass, on every
// database that has a server.
package workloadtest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite"
	"sledge/internal/suite/jobs"
	"sledge/internal/suite/suitetest"
	"sledge/internal/testserver"
	"sledge/internal/workload"
)

// Look checks the events of a run of a variant.
type Look func(t suite.T, v workload.Variant, told []job.Event)

// Built checks a schema, given the option values, and the events of its build and of the check after
// it. It must not change the schema.
type Built func(t suite.T, d *database.Database, values option.Values, build, check []job.Event)

// Run runs the suite on every database. look checks runs, and built checks the first build; both
// may be nil.
func Run(t *testing.T, w *workload.Workload, look Look, built Built) {
	RunOn(t, edition.Catalog.Databases, w, look, built)
}

// guarded has the databases, with their versions, on which a workload in this process was guarded.
var guarded sync.Map

// RunOn is Run on some databases.
func RunOn(t *testing.T, databases []*database.Database, w *workload.Workload, look Look, built Built) {
	for _, d := range databases {
		pair, err := edition.Catalog.Match(d, w)
		if err != nil {
			continue // the database does not support the workload
		}
		of := jobs.Subject{
			Pair: pair, Version: "test", Measured: time.Second / 2,
			Chosen: func(v workload.Variant) bool { return !v.Afar },
			Look: func(t suite.T, v workload.Variant, told []job.Event) {
				if look != nil {
					look(t, v, told)
				}
				if v.Test && tellsCiphers[d.Name] {
					wantUnencrypted(t, told)
				}
			},
		}
		if built != nil && !further() {
			of.Built = func(t suite.T, values option.Values, build, check []job.Event) { built(t, d, values, build, check) }
		}
		for _, version := range versions(w, d.Name) {
			name := d.Name
			if version != "" {
				name += "-" + version
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				of := of
				of.Values = Server(t, d, version)
				_, of.Unguarded = guarded.LoadOrStore(name, true)
				if version != "" {
					of.Chosen = oneUnlessFurther(w, of.Chosen)
				}
				jobs.Run(suitetest.Of(t), of)
			})
		}
		if relative := relatives[d.Name]; relative != "" && (further() || w.Users.Finite) {
			t.Run(d.Name+"-on-"+relative, func(t *testing.T) {
				t.Parallel()
				of := of
				of.Values, of.Relative = testserver.Open(t, relative).Values(), titles[relative]
				of.Values["dbname"] = "relative" // a database other than that of the relative's own tests
				of.Chosen = oneUnlessFurther(w, func(v workload.Variant) bool { return !v.Test && !v.Afar })
				jobs.Run(suitetest.Of(t), of)
			})
		}
	}
}

// relatives lists, for each database, compatible products on whose servers it is also tested,
// because users choose one for the other.
var (
	relatives = map[string]string{"mysql": "mariadb", "mariadb": "mysql"}
	titles    = map[string]string{"mysql": "MySQL", "mariadb": "MariaDB"}
)

// further reports whether to test only further versions and relatives, in every variant, as make
// test-versions does.
func further() bool { return os.Getenv("SLEDGE_TEST_VERSIONS") != "" }

// Related skips a test on MySQL, whose SQL is mostly that of MariaDB. If further versions and relatives are tested, it skips
// the test on all other databases instead.
func Related(t *testing.T, name string) {
	t.Helper()
	if further() != (name == "mysql") {
		t.Skip("make test runs this on all databases but MySQL, make test-versions on MySQL")
	}
}

// oneUnlessFurther selects only the workload's first variant, unless further versions are tested.
// The SQL of the other variants is the same for each version of a database, and all variants are
// tested on the first version.
func oneUnlessFurther(w *workload.Workload, chosen func(v workload.Variant) bool) func(v workload.Variant) bool {
	return func(v workload.Variant) bool { return chosen(v) && (further() || v.Name == w.Variants[0].Name) }
}

// versions lists the major versions of a database to test; "" is the installed version.
func versions(w *workload.Workload, name string) []string {
	switch {
	case further() && name == "postgresql":
		return []string{"17", "18"}
	case further():
		return nil
	case w.Users.Finite && name == "postgresql":
		return []string{"", "18"}
	}
	return []string{""}
}

// Server returns the option values that reach a server of the database, or skips the test if there
// is no server.
func Server(t *testing.T, d *database.Database, version string) option.Values {
	if d.Embedded() {
		return option.Values{"file": filepath.Join(t.TempDir(), "test.db")}
	}
	var options []testserver.Option
	if version != "" {
		options = append(options, testserver.Version(version))
	}
	return option.Values(testserver.Open(t, d.Name, options...).Values())
}

// tellsCiphers lists the databases whose users report the encryption of their connections in a test
// run, in their first line.
var tellsCiphers = map[string]bool{"mysql": true, "mariadb": true}

// wantUnencrypted checks that each virtual user reported an unencrypted connection.
func wantUnencrypted(t suite.T, told []job.Event) {
	ran, said := map[int]bool{}, map[int]bool{}
	for _, e := range told {
		if e.User == 0 || said[e.User] {
			continue
		}
		if ran[e.User] {
			said[e.User] = true
			if e.Step == nil || strings.TrimSpace(e.Step.Of) != "Ssl_cipher" {
				t.Errorf("virtual user %d: got %+v, want its report that the connection is not encrypted", e.User, e)
			}
		}
		ran[e.User] = true
	}
	if len(said) == 0 {
		t.Errorf("no virtual user reported its connection")
	}
}

// CompareRows compares the rows of every table with those that the workload generates.
func CompareRows(t *testing.T, plan plan.Plan) {
	t.Helper()
	jobs.CompareRows(suitetest.Of(t), plan)
}
