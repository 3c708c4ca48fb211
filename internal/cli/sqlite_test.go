package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// This test performs a whole test with the real engine on a real database, as a user would.
func TestWholeTest_OnSQLite(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t) // the tests of the engine cover races
	w := newWorld(t)
	w.Runner = engine.Local{Catalog: edition.Catalog, Version: w.Version}
	file := filepath.Join(t.TempDir(), "test.sqlite")
	config := filepath.Join(t.TempDir(), "sledge.toml")
	if err := os.WriteFile(config, []byte("db = 'sqlite'\n[options]\nsqlite_rampup = '1s'\nsqlite_duration = '1s'\n"+
		"key_and_think = 'true'\nkeying_time = '0,0,0,0,0'\nthink_time = '0.01,0.01,0.01,0.01,0.01'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		args string
		want job.Exit
		out  string
		err  string
	}{
		{"run", job.ExitMissing, "", "a build makes it"},
		{"build", job.OK, "order_line", "build TPROC-C on SQLite"},
		{"build", job.ExitExists, "", "already"},
		{"check", job.OK, "all 20 rules hold", "check TPROC-C on SQLite"},
		{"check --verbose --hammerdb", job.OK, "consistency_12", "Schema Check jobid="},
		{"run --users 2 --seed 7", job.OK, " NOPM", "measure "},
		{"run --users 2 --hammerdb", job.OK, "Vuser 1:TEST RESULT : System achieved ", "Vuser 1:Timing test period"},
		{"run --users 2 --json", job.OK, `"NOPM"`, "measure "},
		{"check --json", job.OK, `"holds": true`, ""},
		{"delete", job.OK, "Done", "Dropped"},
		{"check", job.ExitMissing, "", "there is no file"},
	}
	for _, step := range steps {
		if step.args == "delete" {
			jobs := w.jobs(t)
			run := slices.IndexFunc(jobs, func(j job.Job) bool { return j.Spec.Action == job.Run && j.Status == job.Succeeded })
			t.Run("bundle", func(t *testing.T) { testBundle(t, w, jobs[run].ID, file) })
		}
		code := w.run(append(strings.Fields(step.args), "--config", config, "--dbname", file)...)
		if code != step.want {
			t.Fatalf("sledge %s: got exit code %d, want %d: %s", step.args, code, step.want, &w.err)
		}
		if !strings.Contains(w.out.String(), step.out) || !strings.Contains(w.err.String(), step.err) {
			t.Errorf("sledge %s: got %q and %q, want %q and %q in them", step.args, &w.out, &w.err, step.out, step.err)
		}
		if counted := regexp.MustCompile(`all (\d+) rules hold`).FindStringSubmatch(w.out.String()); counted != nil {
			if line := "check: " + counted[1] + " of " + counted[1] + " rules"; !strings.Contains(w.err.String(), line) {
				t.Errorf("sledge %s: got %q, want %q, as in the summary", step.args, &w.err, line)
			}
		}
		if strings.ContainsAny(w.out.String()+w.err.String(), "\x1b\r") {
			t.Errorf("sledge %s: got an escape code without a terminal", step.args)
		}
		if strings.Contains(step.args, "--json") {
			validate(t, step.args, w.out.String(), "sledge-job-3")
		}
	}
	if got := len(w.jobs(t)); got != len(steps)+1+w.repeated {
		t.Errorf("got %d jobs, want one for each of %d steps, and that of the bundle", got, len(steps))
	}
	for _, j := range w.jobs(t) {
		if j.Status == job.Running {
			t.Errorf("job %s: got a %s that is still running", j.ID, j.Spec.Action)
		}
	}
}

// No front end reports success for a run of queries that is invalid or missed a threshold.
func TestThresholds_JudgeQueriesOnSQLite(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	w := newWorld(t)
	w.Runner = engine.Local{Catalog: edition.Catalog, Version: w.Version}
	file, report := filepath.Join(t.TempDir(), "h.sqlite"), filepath.Join(t.TempDir(), "junit.xml")
	on := []string{"--db", "sqlite", "--workload", "tproch", "--dbname", file}
	if code := w.run(append([]string{"build", "--scale", "0.01"}, on...)...); code != job.OK {
		t.Fatalf("build: got exit code %d: %s", code, &w.err)
	}
	for _, tt := range []struct {
		args  string
		exit  job.Exit
		junit string
	}{
		{"--fail-if geometric_mean>1h,query_9.max>1h", job.OK, `tests="3" failures="0" errors="0"`},
		{"--fail-if geometric_mean>1us,failed>0", job.ExitMissed, `tests="3" failures="1" errors="0"`},
		{"--fail-if composite<1", job.ExitMissed, `tests="2" failures="1" errors="0"`}, // only the throughput test has this figure
		{"--fail-if retried>0 --query-limit 1us", job.ExitInvalid, `tests="2" failures="0" errors="2"`},
		{"--fail-if failed>0 --time-limit 1us", job.ExitStopped, `tests="2" failures="0" errors="2"`},
	} {
		code := w.run(append(append([]string{"run", "--plans", "none", "--junit", report}, strings.Fields(tt.args)...), on...)...)
		xml, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		if code != tt.exit || !strings.Contains(string(xml), tt.junit) {
			t.Errorf("%s: got exit code %d and %s, want %d and %s: %s", tt.args, code, xml, tt.exit, tt.junit, &w.err)
		}
	}
	if code := w.run("jobs", "--status", "missed", "--json"); code != job.OK || strings.Count(w.out.String(), `"status": "missed"`) != 2 {
		t.Errorf("got %d and %s, want the two jobs that missed a threshold", code, &w.out)
	}
}

// The demo's jobs have fixed times, so the test replaces the runner.
func TestDemo_RemovesItsFiles(t *testing.T) {
	given := t.TempDir()
	other := filepath.Join(given, "mine.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	tests := []struct {
		args []string
		left []string // files in the folder; nil if it does not exist
		in   string
	}{
		{[]string{"--dir", fresh}, nil, fresh},
		{[]string{"--dir", given}, []string{"mine.txt"}, given},
		{[]string{"--dir", given, "--keep"}, []string{"demo-jobs.db", "mine.txt"}, given},
	}
	for _, test := range tests {
		w := newWorld(t)
		if code := w.run(append([]string{"demo"}, test.args...)...); code != job.OK {
			t.Fatalf("demo %v: got exit code %d: %s", test.args, code, &w.err)
		}
		var did []string
		for _, spec := range w.asked {
			did = append(did, string(spec.Action))
		}
		if got := strings.Join(did, " "); got != "build run check" {
			t.Errorf("demo %v: got jobs %s, want build run check", test.args, got)
		}
		if !strings.Contains(w.out.String(), "sledge build --db mariadb") {
			t.Errorf("demo %v: got no command to continue with", test.args)
		}
		entries, err := os.ReadDir(test.in)
		if (err != nil) != (test.left == nil) {
			t.Errorf("demo %v: got %v for the folder, want it removed: %v", test.args, err, test.left == nil)
		}
		var left []string
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), "-wal") && !strings.HasSuffix(e.Name(), "-shm") {
				left = append(left, e.Name())
			}
		}
		if strings.Join(left, " ") != strings.Join(test.left, " ") {
			t.Errorf("demo %v: got %q left, want %q", test.args, left, test.left)
		}
		if jobs := w.jobs(t); len(jobs) > 0 {
			t.Errorf("demo %v: got %d jobs in the user's own repository, want none", test.args, len(jobs))
		}
	}
	w := newWorld(t)
	if code := w.run("demo", "--dir", given); code != job.ExitExists || len(w.asked) > 0 {
		t.Errorf("a folder with a kept demo: got exit code %d and %d jobs, want %d and none", code, len(w.asked), job.ExitExists)
	}
}
