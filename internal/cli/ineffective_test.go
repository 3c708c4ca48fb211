package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/job"
)

// TestRun_RefusesFlagsWithoutEffect gives each pair of flags that are not options. Either the error
// names the flag that would have no effect, or the run begins.
func TestRun_RefusesFlagsWithoutEffect(t *testing.T) {
	folder := t.TempDir()
	flags := [][]string{
		{"--users", "1,2"},
		{"--users", "2"},
		{"--profile", "7"},
		{"--junit", filepath.Join(folder, "run.xml")},
		{"--interval", "5"},
		{"--json"},
		{"--details"},
		{"--hammerdb"},
		{"--verbose"},
		{"--label", "a=b"},
		{"--note", "why"},
		{"--repo", filepath.Join(folder, "jobs.db")},
		{"--no-repo"},
		{"--set", "driver=test"},
		{"--dry-run"},
		{"--as", "toml"},
	}
	refused := map[string]string{ // pair of flags -> the flag that has no effect
		"--profile 7 --no-repo": "--profile", "--json --details": "--details", "--json --as toml": "--json", "--dry-run --as toml": "--dry-run",
		"--repo --no-repo": "--repo", "--interval 5 --set driver=test": "--interval", "--profile 7 --set driver=test": "--profile",
		"--users 1,2 --details": "--details", "--users 1,2 --hammerdb": "--hammerdb",
	}
	seen := 0
	for i, one := range flags {
		for _, other := range flags[i+1:] {
			if one[0] == other[0] {
				continue
			}
			both := strings.ReplaceAll(strings.Join(slices.Concat(one, other), " "), " "+filepath.Join(folder, "jobs.db"), "")
			want, has := refused[both]
			w := newWorld(t)
			code := w.run(slices.Concat([]string{"run", "--db", "pg"}, one, other)...)
			switch {
			case !has && code != job.OK:
				t.Errorf("%s: got exit code %d: %s", both, code, w.err.String())
			case has && (code != job.ExitUsage || len(w.asked) > 0 || !strings.Contains(w.err.String(), want+" has no effect")):
				t.Errorf("%s: got exit code %d and %d jobs, want an error that %s has no effect: %s", both, code, len(w.asked), want, w.err.String())
			}
			if has {
				seen++
			}
		}
	}
	if seen != len(refused) {
		t.Errorf("the test tried %d of the %d pairs that must be refused", seen, len(refused))
	}
}
