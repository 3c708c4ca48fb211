package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestSelftest_ChangesNothingWithoutPermission(t *testing.T) {
	w := newWorld(t)
	folder := t.TempDir()
	there := filepath.Join(folder, "there.md")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(folder, "report.md")
	for _, test := range []struct {
		args string
		exit job.Exit
		says string
	}{
		{"--db sqlite --report " + report, job.ExitUsage, "give --yes"},
		{"--db sqlite --yes --report " + filepath.Join(folder, "nowhere", "x.md"), job.ExitUsage, "--report names another file"},
		{"--db sqlite --yes --report " + there, job.ExitUsage, "--report names another file"},
		{"--db sqlite --yes --dbname " + there + " --report " + report, job.ExitExists, "name a file that does not exist"},
		{"--db sqlite --yes --duration 0.1s --report " + report, job.ExitUsage, "the shortest run is 1s"},
		{"--db pg --yes --host 127.0.0.1 --port 1 --report " + report, job.ExitConnect, "logging in failed"},
	} {
		if code := w.run(append([]string{"selftest"}, strings.Fields(test.args)...)...); code != test.exit || !strings.Contains(w.err.String(), test.says) {
			t.Errorf("%s: got exit code %d, want %d with %q in %s", test.args, code, test.exit, test.says, &w.err)
		}
		_, err := os.Stat(report)
		if made := err == nil; made != (test.exit == job.ExitConnect) {
			t.Errorf("%s: a report exists: %t", test.args, made)
		}
	}
	if text, err := os.ReadFile(report); err != nil || !strings.Contains(string(text), "| FAILED |") {
		t.Errorf("got the report %q, %v, want the failed step in it", text, err)
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "mine" {
		t.Errorf("an existing file: got %q, %v", text, err)
	}
}
