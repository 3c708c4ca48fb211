// Package workloadtest runs as tests the suite that every workload passes, on every
// database there is a server of.
package workloadtest

import (
	"os"
	"path/filepath"
	"strings"
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

// Look looks at what a run of a variant has told.
type Look func(t suite.T, v workload.Variant, told []job.Event)

// Built checks the schema that a build with some values has made, and the events of that build. It
// leaves the schema unchanged.
type Built func(t suite.T, d *database.Database, values option.Values, told []job.Event)

// Run runs the suite on every database, with a look at runs and at the first build, which may be nil.
func Run(t *testing.T, w *workload.Workload, look Look, built Built) {
	for pair := range edition.Catalog.Pairs() {
		if pair.Workload != w {
			continue
		}
		d := pair.Database
		of := jobs.Subject{
			Pair: pair, Version: "test", Measured: time.Second,
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
			of.Built = func(t suite.T, values option.Values, told []job.Event) { built(t, d, values, told) }
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
				of.Values["dbname"] = "relative" // beside that of the relative itself
				of.Chosen = oneUnlessFurther(w, func(v workload.Variant) bool { return !v.Test && !v.Afar })
				jobs.Run(suitetest.Of(t), of)
			})
		}
	}
}

// relatives are the databases whose servers a database is tried on, too, because
// people choose the one for the other.
var (
	relatives = map[string]string{"mysql": "mariadb", "mariadb": "mysql"}
	titles    = map[string]string{"mysql": "MySQL", "mariadb": "MariaDB"}
)

// further reports whether further versions and relatives are tested, in every variant, and nothing else,
// as make test-versions does.
func further() bool { return os.Getenv("SLEDGE_TEST_VERSIONS") != "" }

// oneUnlessFurther chooses a workload's first variant alone, unless further versions are what is tested. The
// SQL of the others is the same for each version of a database, which is tested in all variants on the first.
func oneUnlessFurther(w *workload.Workload, chosen func(v workload.Variant) bool) func(v workload.Variant) bool {
	return func(v workload.Variant) bool { return chosen(v) && (further() || v.Name == w.Variants[0].Name) }
}

// versions lists the major versions to test a database in; "" is whichever is installed. A
// workload whose schema takes long to build has only that, unless further versions are what is tested.
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

// Server returns the option values that reach a server of the database for this
// test, or skips the test where there is none.
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

// tellsCiphers are the databases whose users tell in a test run how their connections are
// encrypted, first of all.
var tellsCiphers = map[string]bool{"mysql": true, "mariadb": true}

// wantUnencrypted looks whether each virtual user said that its connection is not encrypted.
func wantUnencrypted(t suite.T, told []job.Event) {
	ran, said := map[int]bool{}, map[int]bool{}
	for _, e := range told {
		if e.User == 0 || said[e.User] {
			continue
		}
		if ran[e.User] {
			said[e.User] = true
			if e.Step == nil || strings.TrimSpace(e.Step.Of) != "Ssl_cipher" {
				t.Errorf("virtual user %d: got %+v, want it to say that the connection is not encrypted", e.User, e)
			}
		}
		ran[e.User] = true
	}
	if len(said) == 0 {
		t.Errorf("no virtual user said anything")
	}
}

// CompareRows holds the rows of every table against those that the workload generates.
func CompareRows(t *testing.T, plan plan.Plan) {
	t.Helper()
	jobs.CompareRows(suitetest.Of(t), plan)
}
