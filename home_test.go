package sledge

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// awayFromHome lists the places outside of internal/hammerdb that may name HammerDB, each
// with its reason. A place is a file, or a folder with all that is in it.
var awayFromHome = map[string]string{
	"internal/cli": "the command line leads to HammerDB's commands and to its shapes of jobs",

	"internal/workload/tprocc/foreign.go":           "what its loader and its routines do to data that are ours to check",
	"internal/workload/tprocc/sql/ansi/foreign.sql": "how its rows are told from ours",

	"internal/report/reporttest/reporttest.go": "a job that it recorded, for tests",
	"internal/manual/schemas.go":               "says which documents have its shapes",
}

// ownPackages are our packages' paths, which name their home.
var ownPackages = regexp.MustCompile(`sledge/internal/hammerdb/\w+|internal/hammerdb\b`)

// TestHammerDBHasOneHome keeps what is HammerDB's in one place: what it calls things, how
// it words them, and what it does in its own way. Whatever else has to know such a thing
// asks there, or knows it under a name of its own.
func TestHammerDBHasOneHome(t *testing.T) {
	used := map[string]bool{}
	for _, name := range treeFiles(t) {
		if !strings.HasPrefix(name, "internal/") && !strings.HasPrefix(name, "cmd/") ||
			strings.HasPrefix(name, "internal/hammerdb/") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if !strings.Contains(strings.ToLower(ownPackages.ReplaceAllString(line, "")), "hammerdb") {
				continue
			}
			place, excused := excuse(name)
			used[place] = true
			if !excused {
				t.Errorf("%s:%d names HammerDB, whose home is internal/hammerdb: move it there, or give it a name of its own: %s",
					name, n+1, strings.TrimSpace(line))
			}
		}
	}
	for place := range awayFromHome {
		if !used[place] {
			t.Errorf("%s may name HammerDB, and does not: take it off the list", place)
		}
	}
}

// excuse returns the place in the list that a file is in, if any.
func excuse(name string) (place string, excused bool) {
	for place := range awayFromHome {
		if name == place || strings.HasPrefix(name, place+"/") {
			return place, true
		}
	}
	return "", false
}
