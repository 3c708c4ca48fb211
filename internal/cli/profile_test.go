package cli

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/report"
)

// scaling sets a runner whose figures grow with the number of users, and which fails beyond most
// users.
func (w *world) scaling(most int) {
	w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
		if spec.Users > most {
			return job.Result{Status: job.Failed}, job.WithExit(job.ExitConnect, errors.New("too many connections"))
		}
		r := measured()
		r.Users = spec.Users
		r.Metrics = []job.Metric{{Name: "NOPM", Value: float64(1000 * spec.Users)}, {Name: "TPM", Value: float64(2300 * spec.Users)}}
		return r, nil
	})
}

// counts returns the numbers of users of the runner's jobs.
func (w *world) counts() (list []int) {
	for _, spec := range w.asked {
		list = append(list, spec.Users)
	}
	return list
}

func TestRun_SeveralNumbersOfUsersAreAProfile(t *testing.T) {
	w := newWorld(t)
	w.scaling(100)
	if code := w.run("run", "--db", "sqlite", "--users", "1,2,4,8"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	if got := w.counts(); !slices.Equal(got, []int{1, 2, 4, 8}) {
		t.Errorf("got runs with %v users, want 1, 2, 4 and 8", got)
	}
	for _, want := range []string{"Performance profile 1", "8,000", "18,400", "over active virtual users"} {
		if !strings.Contains(w.out.String(), want) {
			t.Errorf("got %s, want %q in it", &w.out, want)
		}
	}
	if lines := strings.Split(strings.TrimSpace(w.err.String()), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[2], "run 3 of 4   users 4   succeeded   4,000 NOPM   9,200 TPM   failed 0   p99 ") {
		t.Errorf("got %q during the runs, want one line for each run", lines)
	}
	if out := w.out.String(); strings.Contains(out, "Response time") || !strings.Contains(out, "sledge jobs show ID") {
		t.Errorf("got %s, want no tables of each run, and the command that shows them", out)
	}
	if w.run("run", "--db", "sqlite", "--users", "1,2", "--verbose", "--no-repo"); strings.Count(w.out.String(), "Response time") != 2 {
		t.Errorf("with --verbose: got %s, want the whole result of each run", &w.out)
	}
	jobs := w.jobs(t)
	if len(jobs) != 4 || slices.ContainsFunc(jobs, func(j job.Job) bool { return j.Profile != 1 }) {
		t.Errorf("got jobs %+v, want 4 of profile 1", jobs)
	}
	w.run("run", "--db", "sqlite", "--users", "1, 2")
	w.run("run", "--db", "sqlite", "--users", "16", "--profile", "1")
	w.run("run", "--db", "sqlite", "--users", "1")
	var profiles []int
	for _, j := range w.jobs(t)[:4] {
		profiles = append(profiles, j.Profile)
	}
	if want := []int{0, 1, 2, 2}; !slices.Equal(profiles, want) {
		t.Errorf("got profiles %v of the newest jobs, want %v: a new profile, a given one, and none", profiles, want)
	}
}

func TestProfile_EndsWithTheFirstFailedRun(t *testing.T) {
	w := newWorld(t)
	w.scaling(2)
	if code := w.run("run", "--db", "sqlite", "--users", "1,2,4,8"); code != job.ExitConnect {
		t.Errorf("got exit code %d, want %d", code, job.ExitConnect)
	}
	if got := w.counts(); !slices.Equal(got, []int{1, 2, 4}) {
		t.Errorf("got runs with %v users, want none after 4", got)
	}
	if last := lastLine(w.err.String()); last != "sledge: too many connections" {
		t.Errorf("got the last line %q, want the reason", last)
	}
	if !strings.Contains(w.out.String(), "failed") || !strings.Contains(w.out.String(), "over active virtual users") {
		t.Errorf("got %s, want the table and the chart of the completed runs", &w.out)
	}
}

func TestProfile_CtrlCStopsIt(t *testing.T) {
	w := newWorld(t)
	w.does(func(_ context.Context, spec job.Spec, control job.Control) (job.Result, error) {
		if spec.Users == 2 {
			w.interrupt()
			<-control.Stop
			return job.Result{Status: job.Partial, Reason: "stopped"}, nil
		}
		return measured(), nil
	})
	if code := w.run("run", "--db", "sqlite", "--users", "1,2,4"); code != job.ExitStopped {
		t.Errorf("got exit code %d, want %d", code, job.ExitStopped)
	}
	if got := w.counts(); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("got runs with %v users, want none after 2", got)
	}
}

// The measurement of a run may be over when the user presses Ctrl-C: the run succeeds, and no other
// begins.
func TestSeries_CtrlCAfterAMeasurementStopsIt(t *testing.T) {
	for _, command := range [][]string{
		{"run", "--db", "sqlite", "--users", "1,2,4"},
		{"run", "--db", "sqlite", "--users", "2", "--repeat", "3"},
		{"run", "--db", "sqlite", "--users", "2", "--against", "users=3"},
		{"experiment", "run", writePlan(t, "stopped.toml", scalingPlan)},
	} {
		w := newWorld(t)
		w.does(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
			w.interrupt()
			<-control.Stop
			return measured(), nil
		})
		if code := w.run(command...); code != job.ExitStopped || len(w.asked) != 1 {
			t.Errorf("%s: got exit code %d after %d runs, want %d after one: %s", command, code, len(w.asked), job.ExitStopped, &w.err)
		}
	}
}

func TestProfile_IsOneDocument(t *testing.T) {
	w := newWorld(t)
	w.scaling(100)
	for _, args := range [][]string{
		{"run", "--db", "sqlite", "--users", "1,2", "--json"},
		{"jobs", "profile", "1", "--json"},
		{"run", "--db", "sqlite", "--users", "1,2", "--json", "--no-repo"},
	} {
		if code := w.run(args...); code != job.OK {
			t.Fatalf("sledge %v: got exit code %d: %s", args, code, &w.err)
		}
		var d report.Profile
		if err := json.Unmarshal(w.out.Bytes(), &d); err != nil {
			t.Fatalf("sledge %v: got %s: %v", args, &w.out, err)
		}
		profile := 1
		if slices.Contains(args, "--no-repo") {
			profile = 0
		}
		if d.Schema != report.ProfileSchema || d.Profile != profile || len(d.Runs) != 2 || d.Runs[1].Users != 2 || len(d.Runs[1].Transactions) != 5 || d.Runs[0].Profile != profile {
			t.Errorf("sledge %v: got %+v", args, d)
		}
	}
}

func TestJobsProfile_ListsAndShowsProfiles(t *testing.T) {
	w := newWorld(t)
	w.scaling(100)
	w.run("check", "--db", "sqlite")
	if w.run("jobs", "profile"); !strings.Contains(w.out.String(), "no performance profiles") {
		t.Errorf("without any: got %q", &w.out)
	}
	w.run("run", "--db", "sqlite", "--users", "2,1", "--profile", "7")
	for args, wanted := range map[string][]string{
		"jobs profile":              {"Best NOPM", "sqlite", "2,000"},
		"jobs profile --json":       {`"profile": 7`, `"best_users": 2`, `"runs": 2`},
		"jobs profile 7":            {"Performance profile 7", "over active virtual users", "4,600"},
		"jobs profile 7 --hammerdb": {`"activevu": "2"`, `"nopm": "2000"`},
		"__complete jobs profile ":  {"7\n"},
	} {
		words := strings.Split(args, " ")
		if code := w.run(words...); code != job.OK {
			t.Errorf("sledge %s: got exit code %d: %s", args, code, &w.err)
		}
		for _, want := range wanted {
			if !strings.Contains(w.out.String(), want) {
				t.Errorf("sledge %s: got %q, want %q in it", args, &w.out, want)
			}
		}
	}
	if code := w.run("jobs", "profile", "8"); code != job.ExitMissing {
		t.Errorf("an unknown profile: got exit code %d, want %d", code, job.ExitMissing)
	}
	for _, word := range []string{"x", "0", "-7"} {
		if code := w.run("jobs", "profile", "--", word); code != job.ExitUsage {
			t.Errorf("jobs profile %s: got exit code %d, want %d", word, code, job.ExitUsage)
		}
	}
}

func TestJobsImport_ImportsJobsOnce(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "hammer.DB")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const id = "67FD3345479A03E263133333"
	_, err = db.Exec(`CREATE TABLE JOBMAIN (jobid TEXT, db TEXT, bm TEXT, jobdict TEXT, timestamp DATETIME);
		CREATE TABLE JOBOUTPUT (jobid TEXT, vu INTEGER, output TEXT);
		CREATE TABLE JOBTIMING (jobid TEXT, vu INTEGER, procname TEXT, calls INTEGER, summary INTEGER);
		CREATE TABLE JOBTCOUNT (jobid TEXT, counter INTEGER, metric TEXT, timestamp DATETIME);
		INSERT INTO JOBMAIN VALUES ('` + id + `', 'MariaDB', 'TPC-C', '', '2025-04-14 17:09:41'), ('strange', '', '', '', '');
		INSERT INTO JOBOUTPUT VALUES ('` + id + `', 1, 'TEST RESULT : System achieved 128176 NOPM from 298394 MariaDB TPM');
		INSERT INTO JOBTIMING VALUES ('` + id + `', 1, 'NEWORD', 17, 1);
		INSERT INTO JOBTCOUNT VALUES ('` + id + `', 4321, 'tpm', '2025-04-14 17:09:51')`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Imported 1 job; 0 had been imported before.", "Imported 0 jobs; 1 had been imported before."} {
		if code := w.run("jobs", "import", path); code != job.OK || !strings.Contains(w.out.String(), want) || !strings.Contains(w.err.String(), "strange") {
			t.Errorf("got exit code %d, %q and %q, want %q and a warning", code, &w.out, &w.err, want)
		}
	}
	for args, want := range map[string]string{
		"jobs":                        "128,176 NOPM",
		"jobs show last":              "Recorded  by HammerDB",
		"jobs timing last":            "calls      = 17",
		"jobs timing last --json":     `"calls": 17`,
		"jobs tpm last":               "4,321",
		"jobs export last":            `"imported":{"timings"`,
		"jobs import --json " + path:  `"present": 1`,
		"jobs result last --hammerdb": "TEST RESULT",
		"jobs show last --json":       `"origin": "HammerDB"`,
		"jobs tpm last --hammerdb":    `"MariaDB tpm"`,
	} {
		if code := w.run(strings.Fields(args)...); code != job.OK || !strings.Contains(w.out.String(), want) {
			t.Errorf("sledge %s: got exit code %d, %q and %q, want %q", args, code, &w.out, &w.err, want)
		}
	}
	if code := w.run("jobs", "export", "last", "--format", "csv"); code != job.ExitUsage {
		t.Errorf("as CSV: got exit code %d, want %d", code, job.ExitUsage)
	}
	if code := w.run("jobs", "import", "nosuch.DB"); code != job.ExitMissing {
		t.Errorf("a missing file: got exit code %d, want %d", code, job.ExitMissing)
	}
}

func TestJobsImport_WarnsBeforeItsError(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "hammer.DB")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE JOBMAIN (jobid TEXT, db TEXT, bm TEXT, jobdict TEXT, timestamp DATETIME);
		CREATE TABLE JOBOUTPUT (vu INTEGER, output TEXT);
		INSERT INTO JOBMAIN VALUES ('strange', '', '', '', ''), ('67FD3345479A03E263133333', 'MariaDB', 'TPC-C', '', '2025-04-14 17:09:41')`)
	if err != nil {
		t.Fatal(err)
	}
	code := w.run("jobs", "import", path)
	lines := strings.Split(strings.TrimSpace(w.err.String()), "\n")
	if code == job.OK || len(lines) != 2 || !strings.Contains(lines[0], "warning: job strange") || !strings.Contains(lines[1], "67FD3345479A03E263133333") {
		t.Errorf("got exit code %d and %q, want a warning and the error after it", code, lines)
	}
}

// Each line of a folded warning is styled.
func TestDrawn_FoldsBeforeStyling(t *testing.T) {
	got := program.Drawn(func(line string) string { return "<" + line + ">" }, "! TPM CANNOT BE TRUSTED: look", func() int { return 16 })
	if want := "<! TPM CANNOT BE>\n<  TRUSTED: look>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRepeat_EndsWhenTheMedianIsKnown(t *testing.T) {
	w := withJobs(t)
	n := 0
	w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
		n++
		r := measured()
		r.Users = spec.Users
		r.Metrics = []job.Metric{{Name: "NOPM", Value: 50000 + float64(n*n%7)*100}, {Name: "TPM", Value: 100000}}
		return r, nil
	})
	if code := w.run("run", "--db", "sqlite", "--until-confident", "3"); code != job.OK || n != 8 {
		t.Errorf("got exit code %d after %d runs, want 8: %s", code, n, &w.err)
	}
	if text := w.out.String(); !strings.Contains(text, "NOPM of 8 runs: median 50,") || !strings.Contains(text, "95 % interval") {
		t.Errorf("the precision is missing:\n%s", text)
	}
	if !strings.Contains(w.err.String(), "run 8 of at most 30") {
		t.Errorf("the number of the run is missing:\n%s", &w.err)
	}
	n = 0
	if code := w.run("run", "--db", "sqlite", "--users", "1,2", "--repeat", "3", "--json"); code != job.OK || n != 6 {
		t.Errorf("got exit code %d after %d runs, want 6: %s", code, n, &w.err)
	}
	var p report.Profile
	if err := json.Unmarshal(w.out.Bytes(), &p); err != nil || len(p.Points) != 2 || p.Points[1].Repeated == nil || p.Points[1].Repeated.Runs != 3 {
		t.Errorf("got %+v, %v, want two points of three runs each", p.Points, err)
	}
	for args, want := range map[string]string{
		"--repeat 0":                       "--repeat: 0 is not a number of runs",
		"--until-confident 0":              "--until-confident: 0 is not a precision",
		"--until-confident 2 --repeat 7":   "needs 8 runs or more",
		"--until-confident 2 --users 1,2":  "repeats one number of virtual users",
		"--repeat 2 --details --db sqlite": "--details has no effect with several runs",
	} {
		if code := w.run(append([]string{"run", "--db", "sqlite"}, strings.Fields(args)...)...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("run %s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
}
