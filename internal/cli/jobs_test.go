package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// withJobs returns a world whose repository contains a build and a newer run with two measured
// seconds.
func withJobs(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	if code := w.run("build", "--db", "sqlite", "--warehouses", "3"); code != job.OK {
		t.Fatalf("build: got exit code %d: %s", code, &w.err)
	}
	w.does(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		r := measured()
		tpm := 120.0
		for i := range 2 {
			second := r.Summary
			second.Elapsed = time.Second
			tell(control, job.Event{Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: float64(i + 1), ServerTPM: &tpm}, Measured: second.Coded()}})
		}
		return r, nil
	})
	if code := w.run("run", "--db", "sqlite", "--users", "2"); code != job.OK {
		t.Fatalf("run: got exit code %d: %s", code, &w.err)
	}
	return w
}

func TestJobs_ListsNewestFirst(t *testing.T) {
	w := withJobs(t)
	for _, args := range []string{"jobs", "jobs list"} {
		w.run(strings.Fields(args)...)
		lines := strings.Split(strings.TrimSpace(w.out.String()), "\n")
		if len(lines) != 3 || !strings.Contains(lines[1], "run") || !strings.Contains(lines[1], "20 NOPM") || !strings.Contains(lines[2], "build") {
			t.Errorf("sledge %s: got %q, want a heading, the run with its figure, and the build", args, lines)
		}
	}
}

func TestJobs_ListCanBeFiltered(t *testing.T) {
	w := withJobs(t)
	for args, want := range map[string]int{
		"":                             2,
		"--action build":               1,
		"--db sqlite3":                 2, // an alias
		"--db pg":                      0,
		"--workload tpcc":              2,
		"--status succeeded --limit 1": 1,
		"--status failed":              0,
		"--limit 0":                    2,
	} {
		for _, command := range []string{"jobs", "jobs list"} {
			w.run(strings.Fields(command + " " + args + " --json")...)
			var list struct{ Jobs []struct{ ID string } }
			if err := json.Unmarshal(w.out.Bytes(), &list); err != nil || len(list.Jobs) != want {
				t.Errorf("sledge %s %s: got %d jobs and error %v, want %d", command, args, len(list.Jobs), err, want)
			}
		}
	}
}

func TestJobsShow_FindsJobsByIDAndLast(t *testing.T) {
	w := withJobs(t)
	id := string(w.jobs(t)[0].ID)
	for _, name := range []string{"last", id, strings.ToLower(id), id[:20]} {
		if code := w.run("jobs", "show", name); code != job.OK || !strings.Contains(w.out.String(), id) {
			t.Errorf("jobs show %s: got exit code %d and %q, want job %s", name, code, &w.out, id)
		}
	}
	if code := w.run("jobs", "show", "0000"); code != job.ExitMissing {
		t.Errorf("jobs show 0000: got exit code %d, want %d", code, job.ExitMissing)
	}
	if code := w.run("jobs", "show", "xyz"); code != job.ExitUsage {
		t.Errorf("jobs show xyz: got exit code %d, want %d", code, job.ExitUsage)
	}
}

func TestJobs_ViewsOfARun(t *testing.T) {
	w := withJobs(t)
	for args, wanted := range map[string][]string{
		"show last":              {"TEST RESULT : System achieved 20 NOPM", "stock level"},
		"show last --json":       {`"schema"`, `"p99_ms"`, `"NOPM"`},
		"result last":            {"2 virtual users", "20.00  NOPM"},
		"result last --json":     {`"line": "TEST RESULT`, `"value": 20`},
		"result last --hammerdb": {`"2 Active Virtual Users configured"`, `"TEST RESULT : System achieved 20 NOPM from 100 SQLite TPM"`},
		"timing last":            {"new order", "p99"},
		"timing last --json":     {`"p99_ms"`, `"elapsed_seconds": 60`},
		"timing last --hammerdb": {`"NEWORD"`, `"calls": "20"`, `"SLEV"`},
		"tpm last":               {"0:02", "120", "6,000", "p95 ms", "p99 ms", "max ms", "100."}, // 100 transactions in a second, of 1 to 100 ms
		"tpm last --json":        {`"server_tpm": 120`, `"client_tpm": 6000`, `"p50_ms": 50`, `"max_ms": 100`},
		"tpm last --hammerdb":    {`"SQLite tpm"`, `"120"`},
	} {
		if code := w.run(append([]string{"jobs"}, strings.Fields(args)...)...); code != job.OK {
			t.Errorf("jobs %s: got exit code %d: %s", args, code, &w.err)
		}
		for _, want := range wanted {
			if !strings.Contains(w.out.String(), want) {
				t.Errorf("jobs %s: got %q, want %q in it", args, &w.out, want)
			}
		}
		if strings.Contains(args, "--") && !json.Valid(w.out.Bytes()) {
			t.Errorf("jobs %s: got %q, want JSON", args, &w.out)
		}
	}
}

func TestJobs_ReportMissingFigures(t *testing.T) {
	w := withJobs(t)
	build := string(w.jobs(t)[1].ID)
	for args, want := range map[string]string{
		"result":            "no figures",
		"timing":            "no transactions",
		"tpm":               "Nothing was measured",
		"samples":           "Nothing was sampled",
		"result --hammerdb": "Jobid has no test result",
		"timing --hammerdb": "Jobid has no timing data",
		"tpm --hammerdb":    "Jobid has no transaction counter data",
	} {
		code := w.run(append(append([]string{"jobs"}, strings.Fields(args)...), build)...)
		if code != job.OK || !strings.Contains(w.out.String(), want) {
			t.Errorf("jobs %s of a build: got exit code %d and %q, want %q", args, code, &w.out, want)
		}
	}
}

func TestExport_DoesNotReplaceFiles(t *testing.T) {
	w := withJobs(t)
	path := filepath.Join(t.TempDir(), "run.csv")
	if code := w.run("jobs", "export", "last", "--format", "csv", "--output", path); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if rows, err := csv.NewReader(file).ReadAll(); err != nil || len(rows) != 1+2*5 {
		t.Errorf("got %d rows and error %v, want a heading and five kinds of two seconds", len(rows), err)
	}
	if code := w.run("jobs", "export", "last", "--output", path); code != job.ExitUsage || !strings.Contains(w.err.String(), "--force") {
		t.Errorf("a second time: got exit code %d and %q, want a refusal that names --force", code, &w.err)
	}
	if code := w.run("jobs", "export", "last", "--output", path, "--force"); code != job.OK {
		t.Errorf("with --force: got exit code %d: %s", code, &w.err)
	}
	if text, err := os.ReadFile(path); err != nil || !json.Valid(text) {
		t.Errorf("with --force: got no JSON, error %v", err)
	}
	if code := w.run("jobs", "export", "last", "--format", "xml"); code != job.ExitUsage {
		t.Errorf("--format xml: got exit code %d, want %d", code, job.ExitUsage)
	}
	if code := w.run("jobs", "export", "last", "--output", filepath.Join(path, "x")); code != job.ExitUsage {
		t.Errorf("a missing folder: got exit code %d, want %d", code, job.ExitUsage)
	}
}

func TestJobsDelete_DeletesAllOrNone(t *testing.T) {
	w := withJobs(t)
	jobs := w.jobs(t)
	if code := w.run("jobs", "delete", string(jobs[0].ID), "0000"); code != job.ExitMissing || len(w.jobs(t)) != 2 {
		t.Errorf("with one unknown job: got exit code %d and %d jobs left, want %d and 2", code, len(w.jobs(t)), job.ExitMissing)
	}
	w.StdinIsTerminal, w.Stdin = true, strings.NewReader("no\n")
	if code := w.run("jobs", "delete", "last"); code != job.ExitUsage || len(w.jobs(t)) != 2 {
		t.Errorf("after a no: got exit code %d and %d jobs left, want %d and 2", code, len(w.jobs(t)), job.ExitUsage)
	}
	if code := w.run("jobs", "delete", "--yes", "last", string(jobs[0].ID), string(jobs[1].ID)); code != job.OK || len(w.jobs(t)) != 0 {
		t.Errorf("with --yes: got exit code %d and %d jobs left, want none: %s", code, len(w.jobs(t)), &w.err)
	}
	if w.run("jobs"); !strings.Contains(w.out.String(), "No jobs found") {
		t.Errorf("an empty list: got %q", &w.out)
	}
}

func TestJobsCompare_ShowsDifferencesAndFigures(t *testing.T) {
	w := withJobs(t)
	if code := w.run("run", "--db", "sqlite", "--users", "2", "--set", "client_sql=true"); code != job.OK {
		t.Fatalf("run: got exit code %d: %s", code, &w.err)
	}
	jobs := w.jobs(t)
	second, first, build := string(jobs[0].ID), string(jobs[1].ID), string(jobs[2].ID)
	if code := w.run("jobs", "compare", first, "last"); code != job.OK || !strings.Contains(w.out.String(), "client_sql") || !strings.Contains(w.out.String(), "NOPM") {
		t.Errorf("got exit code %d and\n%s%s\nwant the different option, and the figures", code, &w.out, &w.err)
	}
	if code := w.run("jobs", "diff", first, "last"); code != job.OK || !strings.Contains(w.out.String(), "client_sql") || strings.Contains(w.out.String(), "NOPM") {
		t.Errorf("jobs diff: got exit code %d and\n%s%s\nwant the different option, and no figures", code, &w.out, &w.err)
	}
	w.run("jobs", "compare", first, second, "--json")
	var c struct {
		Differences []struct {
			Name   string
			Option bool
			Values []string
		}
		Figures []struct{ Name string }
	}
	if err := json.Unmarshal(w.out.Bytes(), &c); err != nil || len(c.Differences) != 1 || c.Differences[0].Name != "client_sql" ||
		strings.Join(c.Differences[0].Values, " ") != "false true" || len(c.Figures) == 0 {
		t.Errorf("got %+v and error %v, want client_sql, false and true", c, err)
	}
	for args, want := range map[string]string{
		first:                   "two runs",
		first + " " + build:     "only runs can be compared",
		first + " " + first:     "named twice",
		first + " FFFFFFFFFFFF": "no such job",
	} {
		if code := w.run(append([]string{"jobs", "compare"}, strings.Fields(args)...)...); code == job.OK || !strings.Contains(w.err.String(), want) {
			t.Errorf("jobs compare %s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
}

func TestCompare_NamesSetupsByLabelsProfilesAndIDs(t *testing.T) {
	w := withJobs(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) { return measured(), nil })
	for range 6 {
		for _, set := range []string{"a", "b"} {
			if code := w.run("run", "--db", "sqlite", "--users", "2", "--label", "set="+set); code != job.OK {
				t.Fatalf("run: got exit code %d: %s", code, &w.err)
			}
		}
	}
	if code := w.run("compare", "set=a", "set=b"); code != job.OK || !strings.Contains(w.out.String(), "6 pairs): same within 2 %") {
		t.Errorf("got exit code %d and\n%s%s", code, &w.out, &w.err)
	}
	jobs := w.jobs(t)
	if code := w.run("compare", string(jobs[3].ID)+","+string(jobs[1].ID), string(jobs[2].ID)+","+string(jobs[0].ID)); code != 2 || !strings.Contains(w.out.String(), "undecided") || !strings.Contains(w.err.String(), "compare: undecided") {
		t.Errorf("got exit code %d and\n%s%s", code, &w.out, &w.err)
	}
	for args, want := range map[string]string{
		"set=a":                       "name two set-ups",
		"set=a set=a":                 "are both set=a",
		"set=a set=c":                 "no run has the label set=c",
		"set=a profile:7":             "no performance profile 7",
		"set=a profile:x":             "not the number of a performance profile",
		"set=a " + string(jobs[1].ID): "belongs to both",
		"set=a set=b --delta 0":       "--delta",
		"set=a set=b --figure p99":    `no figure "p99"`,
	} {
		if code := w.run(append([]string{"compare"}, strings.Fields(args)...)...); code == job.OK || !strings.Contains(w.err.String(), want) {
			t.Errorf("compare %s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
}

func TestJobsTiming_ByUserBySecondAndOfTheRampUp(t *testing.T) {
	w := withJobs(t)
	without := string(w.jobs(t)[0].ID)
	w.does(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		r := measured()
		for _, phase := range []job.Phase{job.RampUp, job.Measure} {
			for i := range 2 {
				second := r.Summary
				second.Elapsed = time.Second
				tell(control, job.Event{Second: &job.Second{Moment: job.Moment{Phase: phase, Offset: float64(i + 1)}, Measured: second.Coded()}})
			}
		}
		own := r.Summary
		own.Elapsed = time.Minute
		r.PerUser = []meter.CodedSummary{own.Coded(), own.Coded()}
		own.Elapsed = 2 * time.Second
		r.RampUpPerUser = []meter.CodedSummary{own.Coded(), own.Coded()}
		return r, nil
	})
	if code := w.run("run", "--db", "sqlite", "--users", "2", "--set", "time_profile=true"); code != job.OK {
		t.Fatalf("run: got exit code %d: %s", code, &w.err)
	}
	type timed struct {
		Phase   string
		Elapsed float64 `json:"elapsed_seconds"`
		All     struct {
			Done        int64
			TimePercent float64 `json:"time_percent"`
		}
		Users []struct {
			User    int
			Elapsed float64 `json:"elapsed_seconds"`
			All     struct{ Done int64 }
		}
		Seconds []struct {
			Phase        string
			Offset       float64 `json:"offset_seconds"`
			Transactions []struct {
				Done     int64
				Response *struct {
					P99 float64 `json:"p99_ms"`
				}
			}
		}
	}
	get := func(args string) (d timed) {
		t.Helper()
		if code := w.run(strings.Fields("jobs timing last --json " + args)...); code != job.OK {
			t.Fatalf("%s: got exit code %d: %s", args, code, &w.err)
		}
		if err := json.Unmarshal(w.out.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	done := measured().Summary.Kinds[0].Done
	whole := get("--users --seconds")
	if whole.Phase != "measure" || whole.All.TimePercent <= 0 || len(whole.Users) != 2 || len(whole.Seconds) != 2 {
		t.Fatalf("got %+v, want two users and two seconds", whole)
	}
	if u := whole.Users[1]; u.User != 3 || u.Elapsed != 60 || u.All.Done != whole.All.Done {
		t.Errorf("got %+v of the second user, want its minute", u)
	}
	if s := whole.Seconds[1]; s.Phase != "measure" || s.Offset != 2 || s.Transactions[0].Done != done || s.Transactions[0].Response.P99 <= 0 {
		t.Errorf("got %+v of the second second, want its transactions", s)
	}
	rampUp := get("--users --seconds --phase ramp-up")
	if rampUp.Phase != "ramp-up" || rampUp.Elapsed != 2 || rampUp.All.Done != 2*whole.All.Done || len(rampUp.Seconds) != 2 || rampUp.Seconds[0].Phase != "ramp-up" ||
		len(rampUp.Users) != 2 || rampUp.Users[0].Elapsed != 2 {
		t.Errorf("got %+v of the ramp-up, want its two seconds and users", rampUp)
	}
	if plain := get(""); plain.Users != nil || plain.Seconds != nil {
		t.Errorf("got %+v, want neither users nor seconds without their flags", plain)
	}
	for args, want := range map[string]string{
		"last --users":                   "Virtual user 3, response times in ms, over 1 min",
		"last --seconds":                 "0:02",
		"last --phase ramp-up":           "transaction",
		without + " --users":             "--set time_profile=true",
		without + " --phase ramp-up":     "no transactions in its ramp-up",
		without + " --phase rampup":      "did you mean ramp-up",
		"last --hammerdb --users":        "leave out --users",
		"last --hammerdb --phase finish": "not one of measure, ramp-up",
	} {
		w.run(strings.Fields("jobs timing " + args)...)
		if got := w.out.String() + w.err.String(); !strings.Contains(got, want) {
			t.Errorf("jobs timing %s: got\n%s\nwant %q in it", args, got, want)
		}
	}
}

// jobs show works while the job runs, and shows that it runs.
func TestJobsShow_SaysThatAJobRuns(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		other := newWorld(t)
		other.StdoutWidth = func() int { return 80 }
		for args, wanted := range map[string][]string{
			"jobs show last": {"! RUNNING  no result yet\n", "tprocc, 2 virtual users", "!  Running  since 20", "in process ", "this shows what was recorded until now", "Status  running"},
			"jobs":           {"running"},
		} {
			if code := other.run(append(strings.Fields(args), "--repo", w.repository)...); code != job.OK {
				t.Errorf("%s: got exit code %d: %s", args, code, &other.err)
			}
			for _, want := range wanted {
				if text := strings.Join(strings.Fields(other.out.String()), " "); !strings.Contains(text, strings.Join(strings.Fields(want), " ")) {
					t.Errorf("%s: got\n%s\nwant %q", args, &other.out, want)
				}
			}
		}
		return measured(), nil
	})
	if code := w.run("run", "--db", "sqlite", "--users", "2"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
}

func TestJobs_MarkARunBehindItsPace(t *testing.T) {
	w := newWorld(t)
	for _, one := range []struct {
		change func(*job.Result)
		want   string
	}{
		{func(r *job.Result) { r.Pace = &job.Pace{Reached: 94.9} }, "20 NOPM  ! Pace 95 %"},
		{func(r *job.Result) { r.Pace = &job.Pace{Reached: 95} }, "20 NOPM"},
		{func(r *job.Result) { r.Pace = &job.Pace{Asked: 100, Ended: 40} }, "20 NOPM  ! Pace 40 %"},
		{func(r *job.Result) { r.Keyed = &job.Keyed{Reached: 78} }, "20 NOPM  ! Pace 78 %"},
		{func(r *job.Result) {
			r.Pace, r.Status, r.Reason = &job.Pace{Reached: 8}, job.Partial, "the run was stopped"
		}, "partial, 20 NOPM  ! Pace 8 %: the run was stopped"},
		{func(r *job.Result) { r.Status, r.Reason = job.Partial, "it was stopped\nthe rest is missing" }, "partial, 20 NOPM: it was stopped; the rest is missing"},
	} {
		w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
			r := measured()
			one.change(&r)
			return r, nil
		})
		w.run("run", "--db", "sqlite")
		w.run("jobs", "--limit", "1")
		row := strings.TrimRight(w.out.String(), "\n")
		if row = row[strings.LastIndexByte(row, '\n')+1:]; !strings.HasSuffix(row, "  "+one.want) {
			t.Errorf("got %q, want %q at its end", row, one.want)
		}
	}
}

func TestJobs_FitTheTerminal(t *testing.T) {
	w := newWorld(t)
	w.does(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		long := strings.Repeat("a-host-with-a-long-name.", 40)
		tell(control, job.Event{Facts: &job.Facts{Target: "PostgreSQL " + long + " on " + long + ":5432", Size: "2,000,000 warehouses"}})
		r := measured()
		r.Status, r.Reason = job.Failed, strings.Repeat("word ", 500)
		return r, nil
	})
	w.run("run", "--db", "pg", "--label", strings.Repeat("n", 60)+"="+strings.Repeat("v", 200), "--users", "1000000")
	for _, width := range []int{80, 140} {
		w.StdoutWidth = func() int { return width }
		if code := w.run("jobs"); code != job.OK {
			t.Fatalf("got exit code %d: %s", code, &w.err)
		}
		for line := range strings.Lines(w.out.String()) {
			if got := terminal.Width(strings.TrimRight(line, "\n")); got > width {
				t.Errorf("on %d columns: got %d: %q", width, got, line)
			}
		}
	}
}

// A list without a repository, or without a match, is empty, not an error.
func TestJobs_ListsNothingWithoutError(t *testing.T) {
	w := newWorld(t)
	for _, args := range []string{"jobs", "jobs list", "jobs --status invalid", "jobs --text nothing"} {
		if code := w.run(strings.Fields(args)...); code != job.OK || w.out.String() != "No jobs found.\n" || w.err.Len() > 0 {
			t.Errorf("%s: got exit code %d, %q and %q", args, code, &w.out, &w.err)
		}
	}
	if code := w.run("jobs", "--json"); code != job.OK || !strings.Contains(w.out.String(), `"jobs": []`) {
		t.Errorf("got exit code %d and %q, want an empty list", code, &w.out)
	}
}

// The message for a stopped command does not repeat Go's context error.
func TestStoppedCommand_HasItsOwnMessage(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		return job.Result{}, fmt.Errorf("create the tables: %w", context.Canceled)
	})
	code := w.run("build", "--db", "sqlite")
	if said := w.out.String() + w.err.String(); code != job.ExitStopped || !strings.Contains(said, "stopped before it was done") || strings.Contains(said, "context canceled") {
		t.Errorf("got exit code %d and %q", code, said)
	}
	for _, args := range []string{"jobs", "jobs show last"} {
		if w.run(strings.Fields(args)...); strings.Contains(w.out.String(), "context canceled") {
			t.Errorf("%s: got %q", args, &w.out)
		}
	}
}
