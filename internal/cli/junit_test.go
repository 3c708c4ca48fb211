package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
)

func TestJUnit_ReportsAnUnendedRunUntilItEnds(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "run.xml")
	read := func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for range 2 { // the second run replaces the report of the first
		w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
			if got := read(); !strings.Contains(got, "the run has not ended") || !strings.Contains(got, `errors="1"`) {
				t.Errorf("got %s", got)
			}
			return job.Result{Status: job.Succeeded, Extent: job.Extent{Started: time.Now()}}, nil
		})
		if code := w.run("run", "--db", "sqlite", "--junit", path); code != job.OK || !strings.Contains(read(), `tests="1" failures="0" errors="0"`) {
			t.Errorf("got %d, %s, %s", code, &w.err, read())
		}
	}
	if code := w.run("run", "--db", "sqlite", "--junit", path, "--fail-if", "nonsense"); code != job.ExitUsage || !strings.Contains(read(), "nonsense") {
		t.Errorf("a run that did not begin: got %d, %s", code, read())
	}
	before := read()
	if code := w.run("run", "--db", "sqlite", "--junit", path, "--dry-run"); code != job.OK || read() != before {
		t.Errorf("a dry run: got %d, %s", code, read())
	}
}

func TestJUnit_LeavesOtherFilesAlone(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	code := w.run("run", "--db", "sqlite", "--junit", path)
	if text, _ := os.ReadFile(path); code != job.ExitUsage || string(text) != "mine" || len(w.asked) > 0 {
		t.Errorf("got %d, %s, and a file with %q", code, &w.err, text)
	}
	if code := w.run("run", "--db", "sqlite", "--junit", filepath.Join(path, "x")); code != job.ExitUsage || len(w.asked) > 0 {
		t.Errorf("an impossible path: got %d, %s", code, &w.err)
	}
}
