package cli

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/report"
)

// writePlan writes a plan and returns its path.
func writePlan(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const scalingPlan = `
db = "sqlite"
duration = "1m"

[experiment]
repeat = 3

[vary]
users = [1, 2, 4]
client_sql = [false, true]
`

// growing sets a runner whose NOPM grows with users, and is a fifth higher with client-side SQL. before may
// end a run.
func (w *world) growing(before func(number int) error) {
	n := 0
	w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
		if spec.Action != job.Run {
			return job.Result{}, nil
		}
		n++
		if before != nil {
			if err := before(n); err != nil {
				return job.Result{Status: job.Failed}, err
			}
		}
		r := measured()
		nopm := float64(1000*spec.Users + n)
		if spec.Options["client_sql"] == "true" {
			nopm *= 1.2
		}
		r.Users = spec.Users
		r.Metrics = []job.Metric{{Name: "NOPM", Value: nopm}, {Name: "TPM", Value: 2.3 * nopm}}
		return r, nil
	})
}

func TestExperiment_PerformsEachCellAsOftenAsPlanned(t *testing.T) {
	w := newWorld(t)
	w.growing(nil)
	plan := writePlan(t, "scaling.toml", scalingPlan)
	if code := w.run("experiment", "run", plan, "--dry-run"); code != job.OK || len(w.asked) > 0 || strings.Count(w.out.String(), "\n") != 19 {
		t.Errorf("dry run: got exit code %d and %d jobs: %s%s", code, len(w.asked), &w.out, &w.err)
	}
	if code := w.run("experiment", "run", plan); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	for _, want := range []string{"experiment scaling: 6 cells, 3 runs each, of which 18 are left", "run 18 of 18: users="} {
		if !strings.Contains(w.err.String(), want) {
			t.Errorf("got %s, want %q in it", &w.err, want)
		}
	}
	for _, want := range []string{"Highest median of NOPM: 4,8", "with users 4, client_sql true, from 3 runs", "Effects", "+20."} {
		if !strings.Contains(w.out.String(), want) {
			t.Errorf("got %s, want %q in it", &w.out, want)
		}
	}
	// Each repetition is a block with all cells, and the blocks have different orders.
	var blocks [3][]string
	for i, spec := range w.asked {
		blocks[i/6] = append(blocks[i/6], spec.Labels["users"]+spec.Labels["client_sql"])
	}
	if slices.Equal(blocks[0], blocks[1]) && slices.Equal(blocks[1], blocks[2]) {
		t.Errorf("all repetitions have the order %v", blocks[0])
	}
	for _, block := range blocks {
		if slices.Sort(block); len(slices.Compact(block)) != 6 {
			t.Errorf("got %v, want each cell in each repetition", blocks)
		}
	}
	n := len(w.asked)
	if code := w.run("experiment", "run", plan, "--json"); code != job.OK || len(w.asked) != n {
		t.Errorf("got exit code %d, and %d more runs of a complete experiment", code, len(w.asked)-n)
	}
	var e report.Experiment
	if err := json.Unmarshal(w.out.Bytes(), &e); err != nil || e.Figure != "NOPM" || len(e.Cells) != 6 || len(e.Cells[5].Runs) != 3 || !slices.Equal(e.Cells[5].Values, []string{"4", "true"}) || len(e.Effects) != 3 {
		t.Errorf("got %+v, %v", e, err)
	}
	if code := w.run("experiment", "show", "scaling"); code != job.OK || !strings.Contains(w.out.String(), "Highest median of NOPM") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	page := filepath.Join(t.TempDir(), "scaling.html")
	if code := w.run("experiment", "show", "scaling", "--html", page); code != job.OK || !strings.Contains(w.out.String(), "Wrote "+page) {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if html, err := os.ReadFile(page); err != nil || !strings.Contains(string(html), "NOPM over users") || !strings.Contains(string(html), "Effects") {
		t.Errorf("got %v and %s", err, html)
	}
	if code := w.run("experiment", "show", "scaling", "--html", page); code != job.ExitUsage || !strings.Contains(w.err.String(), "exists already") {
		t.Errorf("got exit code %d: %s, want the page not to be overwritten", code, &w.err)
	}
	if code := w.run("experiment", "show", "scaling", "--html", page, "--json"); code != job.ExitUsage || !strings.Contains(w.err.String(), "choose one") {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	if code := w.run("experiment", "show", "nothing"); code != job.ExitMissing {
		t.Errorf("got exit code %d of an unknown experiment: %s", code, &w.err)
	}

	// A deleted run is repeated, and nothing else.
	if code := w.run("jobs", "delete", string(e.Cells[2].Runs[1]), "--yes"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	if code := w.run("experiment", "run", plan); code != job.OK || len(w.asked) != n+1 || w.asked[n].Labels["users"] != e.Cells[2].Values[0] || w.asked[n].Labels["client_sql"] != e.Cells[2].Values[1] {
		t.Errorf("got exit code %d and %d more runs, want that of %v", code, len(w.asked)-n, e.Cells[2].Values)
	}

	// Another duration is another experiment, but another value only adds cells.
	more := writePlan(t, "scaling.toml", strings.Replace(scalingPlan, "[1, 2, 4]", "[1, 2, 4, 8]", 1))
	if w.run("experiment", "run", more, "--dry-run"); !strings.Contains(w.err.String(), "8 cells, 3 runs each, of which 6 are left") {
		t.Errorf("got %s, want the runs of the new value", &w.err)
	}
	longer := writePlan(t, "scaling.toml", strings.Replace(scalingPlan, "1m", "2m", 1))
	if w.run("experiment", "run", longer, "--dry-run"); !strings.Contains(w.err.String(), "of which 18 are left") || !strings.Contains(w.err.String(), "! 18 runs of this name have other settings") {
		t.Errorf("got %s, want no run to count", &w.err)
	}
}

func TestExperiment_ConfirmsItsBestCell(t *testing.T) {
	w := newWorld(t)
	w.growing(nil)
	plan := writePlan(t, "scaling.toml", scalingPlan)
	if code := w.run("experiment", "confirm", plan); code != job.ExitMissing {
		t.Errorf("got exit code %d before the experiment: %s", code, &w.err)
	}
	if code := w.run("experiment", "run", plan); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	n := len(w.asked)
	if code := w.run("experiment", "confirm", plan); code != job.OK || !strings.Contains(w.out.String(), "better") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	runs := map[string]int{}
	for _, spec := range w.asked[n:] {
		runs[spec.Labels["users"]+" "+spec.Labels["client_sql"]+" "+spec.Labels[job.LabelConfirmation]+spec.Labels[job.LabelExperiment]]++
	}
	if want := map[string]int{"4 true scaling": 8, "1 false scaling": 8}; !maps.Equal(runs, want) {
		t.Errorf("got the runs %v, want %v", runs, want)
	}
	n = len(w.asked)
	if code := w.run("experiment", "run", plan); code != job.OK || len(w.asked) != n {
		t.Errorf("got exit code %d and %d more runs: those of confirm do not count", code, len(w.asked)-n)
	}
	for _, wrong := range []string{"--pairs=0", "--within=-1s"} {
		if code := w.run("experiment", "confirm", plan, wrong); code != job.ExitUsage {
			t.Errorf("%s: got exit code %d: %s", wrong, code, &w.err)
		}
	}
	lone := writePlan(t, "lone.toml", "db = \"sqlite\"\n[vary]\nusers = [2]\n")
	if code := w.run("experiment", "run", lone); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	if code := w.run("experiment", "confirm", lone); code != job.OK || !strings.Contains(w.err.String(), "Nothing to confirm") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
}

// An optimizer asks for combinations that need not be in the plan, and gets one answer for each line.
func TestExperiment_TriesWhatIsAskedFor(t *testing.T) {
	w := newWorld(t)
	w.growing(func(n int) error {
		if n == 4 {
			return errors.New("deadlock")
		}
		return nil
	})
	plan := writePlan(t, "scaling.toml", strings.Replace(scalingPlan, "repeat = 3", "repeat = 3\nhalve = true", 1)) // a single combination has no better half
	w.Stdin = strings.NewReader(`{"users": 3, "client_sql": true}
{"client_sql": "true", "users": "3"}
{"uzers": 3}
[3]
{"users": [3]}
{"users": -1}
{}
{"users": 2}
`)
	if code := w.run("experiment", "try", plan); code != job.ExitUsage || len(w.asked) != 9 {
		t.Errorf("got exit code %d after %d runs, want 3 each of 3 combinations: %s", code, len(w.asked), &w.err)
	}
	if !strings.Contains(w.err.String(), "5 of 8 combinations have an error, the first: the plan does not vary uzers: did you mean users?") {
		t.Errorf("got %s", &w.err)
	}
	var trials []report.Trial
	for line := range strings.Lines(w.out.String()) {
		var trial report.Trial
		if err := json.Unmarshal([]byte(line), &trial); err != nil {
			t.Fatal(err)
		}
		validate(t, "experiment try", line, "sledge-experiment-trial-1")
		trials = append(trials, trial)
	}
	if len(trials) != 8 {
		t.Fatalf("got %d answers, want 8: %s", len(trials), &w.out)
	}
	first, again := trials[0], trials[1]
	if first.Figure != "NOPM" || first.Result == nil || first.Result.Median != 3002*1.2 || !slices.Equal(first.Values, []string{"3", "true"}) || len(first.Runs) != 3 || first.Error != "" {
		t.Errorf("got %+v", first)
	}
	if !slices.Equal(first.Runs, again.Runs) {
		t.Errorf("got the runs %v and then %v, want no new ones for the same combination", first.Runs, again.Runs)
	}
	for i, want := range []string{"the plan does not vary uzers: did you mean users?", "is not a JSON object", "users: give a number", "users: -1 is less than 1"} {
		if got := trials[2+i]; !strings.Contains(got.Error, want) || got.Result != nil {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
	if base := trials[6]; !slices.Equal(base.Values, []string{"1", "false"}) || base.Failed != 1 || !strings.Contains(base.Error, "deadlock") || base.Result == nil || base.Result.Runs != 2 {
		t.Errorf("got %+v, want the first values, and a failed run", base)
	}
	if code := w.run("experiment", "show", "scaling"); code != job.OK || !strings.Contains(w.out.String(), "with client_sql true, users 3") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}

	// Without the server, and after Ctrl-C, no other line is read.
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		return job.Result{Status: job.Failed}, job.WithExit(job.ExitConnect, errors.New("connection refused"))
	})
	w.Stdin = strings.NewReader("{\"users\": 8}\n{\"users\": 9}\n")
	if code := w.run("experiment", "try", plan); code != job.ExitConnect || strings.Count(w.out.String(), "\n") != 1 {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		w.interrupt()
		return measured(), nil
	})
	w.Stdin = strings.NewReader("{\"users\": 7}\n{\"users\": 9}\n")
	if code := w.run("experiment", "try", plan); code != job.ExitStopped || strings.Count(w.out.String(), "\n") != 1 {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	// A combination whose runs failed says so.
	w.Stdin = strings.NewReader("{\"users\": 8}\n")
	if code := w.run("experiment", "try", plan); code != job.OK || !strings.Contains(w.out.String(), "its runs failed, and are not repeated") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
}

// A run waited for the log, and doctor advised a setting before it.
func TestExperiment_SuggestsWhatMayMatter(t *testing.T) {
	w := newWorld(t)
	result := measured()
	result.Activity = &job.Activity{Joined: &job.Joined{}, Transactions: []job.TimeSplit{{
		Kind: "new order", Response: 10, Samples: 100, Parts: []job.TimePart{{Name: "cpu", Milliseconds: 1}, {Name: "log", Milliseconds: 8}, {Name: "read", Milliseconds: 1}},
	}}}
	result.Doctor = &job.Doctor{Findings: []job.Advice{
		{ID: "pg.max_wal_size", Value: "max_wal_size is 1 GiB\nrestart = \"reboot\"", Mend: "ALTER SYSTEM SET max_wal_size = '16GB'; SELECT pg_reload_conf()"},
		{ID: "pg.fsync", Value: "fsync is off", Mend: "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()"},
	}}
	w.does(func(_ context.Context, _ job.Spec, c job.Control) (job.Result, error) {
		tell(c, job.Event{Facts: &job.Facts{Server: "15.8"}})
		return result, nil
	})
	if code := w.run("experiment", "suggest"); code != job.ExitMissing {
		t.Errorf("got exit code %d without a run: %s", code, &w.err)
	}
	if code := w.run("run", "--db", "pg", "--host", "db1", "--users", "8"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	if code := w.run("experiment", "suggest"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	plan := w.out.String()
	for _, want := range []string{
		"max_wal_size = [\"1GB\", \"16GB\"] # max_wal_size is 1 GiB", "commit_delay = [\"0\", \"20\", \"200\"] # several commits", "# wal_buffers = ", "# restart = ", "# 12 combinations, 36 runs: ", "host = \"db1\"", "users = \"8\"", "80 % of the time of transactions is writing the log",
	} {
		if !strings.Contains(plan, want) {
			t.Errorf("got %s, want %q in it", plan, want)
		}
	}
	for _, not := range []string{"\nrestart = ", "fsync = ", "shared_buffers", "jit"} {
		if strings.Contains(plan, not) {
			t.Errorf("got %s, want no %q in it", plan, not)
		}
	}
	if code := w.run("experiment", "run", writePlan(t, "log.toml", plan), "--dry-run"); code != job.OK || !strings.Contains(w.err.String(), "12 cells, 3 runs each") {
		t.Errorf("got exit code %d of the plan: %s", code, &w.err)
	}

	// On SQLite, Sledge can change nothing, and without samples nothing is known to matter.
	for db, want := range map[string]job.Exit{"sqlite": job.ExitUsage, "maria": job.ExitMissing} {
		result.Activity, result.Doctor = nil, nil
		if code := w.run("run", "--db", db); code != job.OK {
			t.Fatalf("got exit code %d: %s", code, &w.err)
		}
		if code := w.run("experiment", "suggest"); code != want || w.out.Len() > 0 {
			t.Errorf("%s: got exit code %d: %s%s", db, code, &w.out, &w.err)
		}
	}
}

// Each round repeats the better half of the cells.
func TestExperiment_HalvesItsCells(t *testing.T) {
	w := newWorld(t)
	stop := 0
	w.growing(func(n int) error {
		if n == stop {
			w.interrupt()
		}
		return nil
	})
	text := "db = \"sqlite\"\n[experiment]\nrepeat = 4\nhalve = true\n[vary]\nusers = [1, 2, 3, 4, 5, 6]\n"
	plan := writePlan(t, "p.toml", text)
	stop = 8
	if code := w.run("experiment", "run", plan); code != job.ExitStopped || !strings.Contains(w.err.String(), "6 cells, 4 runs at most, of which 6 are left") {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	stop = 0
	if code := w.run("experiment", "run", plan); code != job.OK {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	runs := map[int]int{}
	for _, spec := range w.asked {
		runs[spec.Users]++
	}
	if want := map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 5: 4, 6: 4}; !maps.Equal(runs, want) {
		t.Errorf("got %v runs by users, want %v", runs, want)
	}
	n := len(w.asked)
	if code := w.run("experiment", "run", plan); code != job.OK || len(w.asked) != n {
		t.Errorf("got exit code %d and %d more runs of a complete experiment", code, len(w.asked)-n)
	}
	if code := w.run("experiment", "run", writePlan(t, "q.toml", strings.Replace(text, "repeat = 4\n", "", 1))); code != job.ExitUsage || !strings.Contains(w.err.String(), "raise repeat") {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
}

// Another process watches an experiment until its last run has ended.
// At the end, also after an error, the plan's command reads how the experiment ended. If the command fails, that is said.
func TestExperiment_NotifiesAtItsEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is for another shell")
	}
	w := newWorld(t)
	w.growing(func(n int) error {
		if n == 2 {
			return errors.New("deadlock")
		}
		return nil
	})
	told := filepath.Join(t.TempDir(), "told")
	plan := strings.Replace(scalingPlan, "repeat = 3", "repeat = 1\nnotify = \"cat >> "+told+"\"", 1)
	if code := w.run("experiment", "run", writePlan(t, "scaling.toml", plan)); code == job.OK {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	text, err := os.ReadFile(told)
	if err != nil || !strings.Contains(string(text), "experiment scaling has ended: 6 of 6 runs done, 1 failed") || !strings.Contains(string(text), "deadlock") {
		t.Errorf("%v: got %s", err, text)
	}
	plan = strings.Replace(plan, "cat >> "+told, "echo no mail; exit 3", 1)
	if code := w.run("experiment", "run", writePlan(t, "scaling.toml", plan)); code != job.OK || !strings.Contains(w.err.String(), "notify: exit status 3: no mail") {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
}

// A fraction of four settings is half of their combinations, and has the effects of all of them.
func TestExperiment_PerformsAFraction(t *testing.T) {
	w := newWorld(t)
	w.growing(nil)
	plan := strings.Replace(scalingPlan, "users = [1, 2, 4]", "users = [1, 4]\nseed = [1, 2]\nrampup = [\"1s\", \"2s\"]", 1)
	path := writePlan(t, "half.toml", strings.Replace(plan, "repeat = 3", "fraction = true", 1))
	if code := w.run("experiment", "run", path, "--json"); code != job.OK || !strings.Contains(w.err.String(), "8 of 16 cells, 1 run each, of which 8 are left") {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	var e report.Experiment
	if err := json.Unmarshal(w.out.Bytes(), &e); err != nil || len(e.Cells) != 8 || len(e.Effects) != 4 {
		t.Fatalf("%v: got %+v", err, e)
	}
	for _, effect := range e.Effects {
		if want := map[string]float64{"users": 4, "client_sql": 1.2, "seed": 1, "rampup": 1}[effect.Factor]; math.Abs(effect.Ratio/want-1) > 0.01 {
			t.Errorf("got %+v, want %g", effect, want)
		}
	}
	for text, says := range map[string]string{
		strings.Replace(scalingPlan, "repeat = 3", "fraction = true", 1):                                   "users has 3 values",
		strings.Replace(strings.Replace(plan, "seed = [1, 2]", "", 1), "repeat = 3", "fraction = true", 1): "fewer than 4",
		strings.Replace(plan, "repeat = 3", "fraction = 2", 1):                                             "neither true nor false",
	} {
		if code := w.run("experiment", "run", writePlan(t, "wrong.toml", text)); code != job.ExitUsage || !strings.Contains(w.err.String(), says) {
			t.Errorf("got exit code %d: %s, want %q", code, &w.err, says)
		}
	}
}

func TestExperiment_IsWatched(t *testing.T) {
	w := newWorld(t)
	plan := writePlan(t, "p.toml", scalingPlan)
	w.growing(func(n int) error {
		if n == 3 {
			return errors.New("deadlock")
		}
		return nil
	})
	if code := w.run("experiment", "run", plan); code == job.OK {
		t.Fatalf("got exit code %d, want a failed run", code)
	}
	if code := w.run("experiment", "watch", plan); code != job.OK || !strings.HasPrefix(w.out.String(), "18 of 18 runs done, 1 failed   best so far: users=4 client_sql=true") || strings.Count(w.out.String(), "\n") != 1 {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	more := writePlan(t, "p.toml", strings.Replace(scalingPlan, "[1, 2, 4]", "[1, 2, 4, 8]", 1))
	time.AfterFunc(1500*time.Millisecond, w.interrupt)
	if code := w.run("experiment", "watch", more); code != job.ExitStopped || !strings.HasPrefix(w.out.String(), "18 of 24 runs done, 1 failed") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
}

func TestExperiment_GoesOnAfterAnInterruption(t *testing.T) {
	w := newWorld(t)
	plan := writePlan(t, "p.toml", scalingPlan)
	killed := errors.New("signal")
	w.growing(func(n int) error {
		if n == 5 {
			return job.WithExit(job.ExitConnect, killed)
		}
		return nil
	})
	// A failed run is marked, and the others go on.
	if code := w.run("experiment", "run", plan); code != job.ExitConnect || len(w.asked) != 18 {
		t.Errorf("got exit code %d after %d runs, want 18: %s", code, len(w.asked), &w.err)
	}
	if code := w.run("experiment", "run", plan); code != job.OK || len(w.asked) != 18 || !strings.Contains(w.err.String(), "! 1 run failed and will not be repeated") {
		t.Errorf("got exit code %d after %d runs: %s", code, len(w.asked), &w.err)
	}
	stop := writePlan(t, "q.toml", strings.Replace(scalingPlan, "repeat = 3", "repeat = 3\non_failure = \"stop\"", 1))
	w.asked = nil
	w.growing(func(n int) error {
		if n == 5 {
			return job.WithExit(job.ExitConnect, killed)
		}
		return nil
	})
	if code := w.run("experiment", "run", stop); code != job.ExitConnect || len(w.asked) != 5 {
		t.Errorf("got exit code %d after %d runs, want 5: %s", code, len(w.asked), &w.err)
	}
	if code := w.run("experiment", "run", stop); code != job.OK || len(w.asked) != 18 {
		t.Errorf("got exit code %d after %d runs, want the 13 that are left: %s", code, len(w.asked), &w.err)
	}
}

func TestExperiment_EndsWithTheThresholdsThatItsRunsMissed(t *testing.T) {
	w := newWorld(t)
	w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
		r := measured()
		if spec.Users == 2 {
			r.Status = job.Missed
			return r, job.WithExit(job.ExitMissed, errors.New("p99 is too high"))
		}
		return r, nil
	})
	if code := w.run("experiment", "run", writePlan(t, "p.toml", scalingPlan)); code != job.ExitMissed || len(w.asked) != 18 {
		t.Errorf("got exit code %d after %d runs, want %d after all: %s", code, len(w.asked), job.ExitMissed, &w.err)
	}
}

// A server that is down must not use up the runs of an experiment.
func TestExperiment_DoesNotCountRunsThatCouldNotBegin(t *testing.T) {
	w := newWorld(t)
	w.does(func(_ context.Context, _ job.Spec, _ job.Control) (job.Result, error) {
		err := job.WithExit(job.ExitConnect, job.WithCause(job.Cause{Kind: job.Unreachable}, errors.New("connection refused")))
		return job.Result{Status: job.Failed, Cause: job.CauseOf(err)}, err
	})
	plan := writePlan(t, "p.toml", scalingPlan)
	if code := w.run("experiment", "run", plan); code != job.ExitConnect || len(w.asked) != 1 || !strings.Contains(w.err.String(), "! The other runs on sqlite ") {
		t.Errorf("got exit code %d after %d runs: %s", code, len(w.asked), &w.err)
	}
	w.growing(nil)
	if code := w.run("experiment", "run", plan); code != job.OK || len(w.asked) != 19 {
		t.Errorf("got exit code %d after %d runs, want all 18 after the server is back: %s", code, len(w.asked), &w.err)
	}
}

// Ctrl-C while a schema is dropped must not be followed by a build.
func TestExperiment_CtrlCBeforeABuild(t *testing.T) {
	w := newWorld(t)
	w.does(func(_ context.Context, _ job.Spec, _ job.Control) (job.Result, error) {
		w.interrupt()
		return job.Result{}, nil
	})
	plan := strings.Replace(scalingPlan, "repeat = 3", "build = \"once\"", 1)
	if code := w.run("experiment", "run", writePlan(t, "p.toml", plan)); code != job.ExitStopped || len(w.asked) != 1 {
		t.Errorf("got exit code %d after %d jobs, want %d after the deletion: %s", code, len(w.asked), job.ExitStopped, &w.err)
	}
}

func TestExperiment_BuildsTheSchemasOfItsCells(t *testing.T) {
	w := newWorld(t)
	w.growing(nil)
	text := "db = \"sqlite\"\n[experiment]\nbuild = \"once\"\nrepeat = 2\n[vary]\nwarehouses = [1, 2]\nusers = [1, 2]\n"
	if code := w.run("experiment", "run", writePlan(t, "p.toml", text)); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	for _, want := range []string{"run 1 of 8: warehouses=", "run 5 of 8: warehouses="} { // each follows a build
		if !strings.Contains(w.err.String(), want) {
			t.Errorf("got %s, want %q in it", &w.err, want)
		}
	}
	var actions []job.Action
	warehouses := ""
	for _, spec := range w.asked {
		actions = append(actions, spec.Action)
		if spec.Action == job.Build {
			warehouses = spec.Options["warehouses"]
		}
		if spec.Action == job.Run && spec.Options["warehouses"] != warehouses {
			t.Errorf("a run of %s warehouses followed a build of %s", spec.Options["warehouses"], warehouses)
		}
	}
	if want := "delete build run run run run delete build run run run run"; join(actions) != want {
		t.Errorf("got %v, want %s", actions, want)
	}
	w.asked = nil
	if code := w.run("experiment", "run", writePlan(t, "q.toml", strings.Replace(text, "once", "each", 1))); code != job.OK || len(w.asked) != 24 {
		t.Errorf("got exit code %d after %d jobs, want a delete and a build before each of 8 runs: %s", code, len(w.asked), &w.err)
	}
}

// join joins actions by blanks.
func join(actions []job.Action) string {
	var words []string
	for _, a := range actions {
		words = append(words, string(a))
	}
	return strings.Join(words, " ")
}

func TestExperiment_RefusesWrongPlansBeforeAnything(t *testing.T) {
	w := newWorld(t)
	w.growing(nil)
	for text, want := range map[string]string{
		"db = \"sqlite\"\n":                                             "it varies nothing",
		"db = \"sqlite\"\n[vary]\nuzers = [1]\n":                        "line 3: uzers is not known: did you mean users?",
		"db = \"sqlite\"\n[vary]\nusers = []\n":                         "line 3: users has no values",
		"db = \"sqlite\"\n[vary]\nusers = [1, 1]\n":                     "line 3: users has the value 1 twice",
		"db = \"sqlite\"\n[vary]\nusers = [1, -1]\n":                    "with users=-1: users: -1 is less than 1 (it is from line 3 of ",
		"db = \"sqlite\"\n[vary]\nlabels = [\"a=b\"]\n":                 "line 3: labels make no difference",
		"db = \"sqlite\"\n[vary]\npg_port = [1, 2]\n":                   "line 3 of ",
		"db = \"sqlite\"\nusers = [1, 2]\n[vary]\nclient_sql=[true]\n":  "users has several numbers",
		"db = \"sqlite\"\n[vary]\nwarehouses = [1, 2]\n":                "add the line build = \"once\"",
		"db = \"sqlite\"\n[experiment]\nrepeet = 3\n[vary]\nusers=[1]":  "line 3: repeet is not known in the table experiment: did you mean repeat?",
		"db = \"sqlite\"\n[experiment]\nrepeat = 0\n[vary]\nusers=[1]":  "line 3: repeat: \"0\" is not a number of runs",
		"db = \"sqlite\"\n[experiment]\nbuild = 1\n[vary]\nusers=[1]":   "line 3: build: \"1\" is not never, once or each",
		"db = \"sqlite\"\n[experiment]\nname = \"\"\n[vary]\nusers=[1]": "the name \"\"",
		"db = \"sqlite\"\nrampup = \"x\"\n[vary]\nusers=[1]":            "line 2 of ",
		"db = \"sqlite\"\n[vary\n":                                      "is not valid TOML",
		"db = \"pg\"\n[experiment]\nrestart = \"x\"\n[vary]\nusers=[1]": "no setting of the server varies",
	} {
		if code := w.run("experiment", "run", writePlan(t, "p.toml", text)); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("%q: got exit code %d and %q, want %q", text, code, &w.err, want)
		}
	}
	if len(w.asked) > 0 {
		t.Errorf("%d jobs began", len(w.asked))
	}
	// The same file is a configuration file for other commands.
	if code := w.run("build", "--config", writePlan(t, "p.toml", scalingPlan)); code != job.OK || len(w.asked) != 1 {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	yaml := "db: sqlite\nvary:\n  users: [1, 2]\n"
	if code := w.run("experiment", "run", writePlan(t, "p.yaml", yaml)); code != job.OK || len(w.asked) != 3 {
		t.Errorf("YAML: got exit code %d after %d jobs: %s", code, len(w.asked), &w.err)
	}
}
