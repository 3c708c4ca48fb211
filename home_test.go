package sledge

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// awayFromHome lists the places outside of internal/hammerdb that may name HammerDB, with reasons.
// A place is a file or a folder.
var awayFromHome = map[string]string{
	"internal/cli": "the command line leads to HammerDB's commands and to its shapes of jobs",

	"internal/workload/tprocc/foreign.go":           "effects of its loader and its routines on data that checks verify",
	"internal/workload/tproch/foreign.go":           "effects of its generator on data that checks verify",
	"internal/workload/tproch/sql/ansi/foreign.sql": "distinguishes its rows from dbgen's",
	"internal/workload/tprocc/sql/ansi/foreign.sql": "distinguishes its rows from ours",

	"internal/doctor/load.go":                "its guides are sources of checks",
	"internal/host/checks.go":                "its guides are sources of checks",
	"internal/host/checks_cpu.go":            "its guides are sources of checks",
	"internal/host/checks_disk.go":           "its guides are sources of checks",
	"internal/host/checks_memory.go":         "its guides are sources of checks",
	"internal/host/checks_network.go":        "its guides are sources of checks",
	"internal/host/checks_system.go":         "its guides are sources of checks",
	"internal/database/postgresql/checks.go": "its guides are sources of checks",
	"internal/database/mysql/checks.go":      "its guides are sources of checks",

	"internal/report/reporttest/reporttest.go": "a job that it recorded, for tests",
	"internal/manual/schemas.go":               "says which documents have its shapes",
	"internal/web/api/examples.json":           "recorded responses",
}

// ownPackages are our packages' paths, which name their home.
var ownPackages = regexp.MustCompile(`sledge/internal/hammerdb/\w+|internal/hammerdb\b`)

// TestHammerDB_IsNamedInItsPackagesOnly keeps everything about HammerDB in one place: its names, its lines and its
// behaviour. Other packages call functions there, or use their own names.
func TestHammerDB_IsNamedInItsPackagesOnly(t *testing.T) {
	keepAtHome(t, home{
		what: "HammerDB", folder: "internal/hammerdb", away: awayFromHome,
		named: func(line string) bool {
			return strings.Contains(strings.ToLower(ownPackages.ReplaceAllString(line, "")), "hammerdb")
		},
	})
}

// knowWorkloads lists the places outside of internal/workload whose code may name a
// workload, each with its reason.
var knowWorkloads = map[string]string{
	"internal/hammerdb/names":                "HammerDB's names for workloads and options",
	"internal/hammerdb/lines":                "HammerDB's lines about workloads",
	"internal/hammerdb/console/configure.go": "examples of commands",
	"internal/hammerdb/views/artifact.go":    "trademarks",

	"internal/catalog/edition": "the generated list of all workloads",

	"internal/cli/hammerdb/console.go": "examples of commands",
	"internal/cli/jobs/datagen.go":     "examples of commands",
	"internal/cli/options/options.go":  "examples of commands",
	"internal/cli/root.go":             "examples of commands",
	"internal/cli/jobs/selftest.go":    "an example of a command",
	"internal/cli/site/watch.go":       "an example of counted transactions",
	"internal/cli/jobs/demo.go":        "the demonstration uses a workload",

	"internal/manual/documents.go":             "examples of documents",
	"internal/report/reporttest/reporttest.go": "jobs for tests",
}

// workloads matches the names of the workloads in code.
var workloads = regexp.MustCompile(`(?i)tp(ro)?c-?[ch]`)

// TestWorkloads_AreNamedInTheirPackagesOnly keeps the names of workloads out of the code that serves all of
// them, so that adding a workload means adding a folder and changing nothing else.
func TestWorkloads_AreNamedInTheirPackagesOnly(t *testing.T) {
	keepAtHome(t, home{
		what: "a workload", folder: "internal/workload", away: knowWorkloads,
		files: ".go",
		named: func(line string) bool {
			code, _, _ := strings.Cut(line, "//")
			return workloads.MatchString(code)
		},
	})
}

// home describes where something may be named, and the exceptions.
type home struct {
	what   string
	folder string
	files  string // suffix of the checked files' names; "" for all
	named  func(line string) bool
	away   map[string]string // reasons by places
}

// keepAtHome fails the test for each line outside of its home that names something without an
// exception, and for each exception without such a line.
func keepAtHome(t *testing.T, h home) {
	t.Helper()
	used := map[string]bool{}
	for _, name := range treeFiles(t) {
		if !strings.HasPrefix(name, "internal/") && !strings.HasPrefix(name, "cmd/") ||
			strings.HasPrefix(name, h.folder+"/") || !strings.HasSuffix(name, h.files) || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if !h.named(line) {
				continue
			}
			place, excused := h.excuse(name)
			used[place] = true
			if !excused {
				t.Errorf("%s:%d names %s, whose home is %s: move it there, or give it a name of its own: %s",
					name, n+1, h.what, h.folder, strings.TrimSpace(line))
			}
		}
	}
	for place := range h.away {
		if !used[place] {
			t.Errorf("%s does not name %s: remove it from the list", place, h.what)
		}
	}
}

// excuse returns the exception that covers a file, if any.
func (h home) excuse(name string) (place string, excused bool) {
	for place := range h.away {
		if name == place || strings.HasPrefix(name, place+"/") {
			return place, true
		}
	}
	return "", false
}
