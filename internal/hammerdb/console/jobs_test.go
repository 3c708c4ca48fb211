package console

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/repository"
)

// jobKinds are the kinds of transaction of TPROC-C.
var jobKinds = []string{"new order", "payment", "delivery", "stock level", "order status"}

// jobsWorld is a console whose repository has a job of every kind. Commands and golden files refer
// to the jobs by names, which ids maps to their IDs.
type jobsWorld struct {
	*Console
	out    bytes.Buffer
	folder string
	ids    map[string]job.ID
}

func newJobsWorld(t *testing.T) *jobsWorld {
	t.Helper()
	w := &jobsWorld{folder: t.TempDir(), ids: map[string]job.ID{}}
	path := filepath.Join(w.folder, "jobs.db")
	c, err := New(Config{
		Resolver: resolver, Out: &w.out, Version: "v0.test", Environ: []string{"TMP=" + w.folder},
		OpenStore: func(name string) (*repository.Store, error) {
			if name == "" {
				name = path
			}
			return repository.Open(name)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Console = c
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// fill records the jobs: a build, runs in two profiles, and failed, invalid, killed and running
// jobs.
func (w *jobsWorld) fill(t *testing.T) {
	t.Helper()
	store, err := w.jobsStore()
	if err != nil {
		t.Fatal(err)
	}
	w.record(t, store, "$BUILD", job.Spec{Action: job.Build}, job.Result{Extent: job.Extent{Elapsed: 2}}, nil)
	for _, run := range []struct {
		name           string
		profile, users int
		orders         float64
	}{{"$ONE", 5, 1, 10_000}, {"$TWO", 5, 2, 18_000}, {"$BEST", 6, 1, 20_000}, {"$ALONE", 7, 4, 9000}} {
		result := job.Result{
			Line:    "TEST RESULT : System achieved 1 NOPM from 2 SQLite TPM",
			Metrics: []job.Metric{{Name: "NOPM", Value: run.orders}, {Name: "TPM", Value: 2 * run.orders}},
			Extent:  job.Extent{Users: run.users, Elapsed: 60}, Measured: job.Measured{Summary: measuredJob()},
		}
		if run.name == "$ONE" {
			measured := measuredJob()
			result.PerUser = []meter.CodedSummary{measured.Coded()}
		}
		w.recordIn(t, store, run.profile, run.name, job.Spec{Action: job.Run, Users: run.users, Options: option.Values{"rampup": "1"}}, result, nil)
	}
	w.record(t, store, "$FAILED", job.Spec{Action: job.Check}, job.Result{}, errors.New("a rule is broken"))
	w.recordIn(t, store, 6, "$INVALID", job.Spec{Action: job.Run, Users: 1}, job.Result{
		Status: job.Invalid, Metrics: []job.Metric{{Name: "NOPM", Value: 99_000}}, Line: "TEST RESULT : x",
	}, nil)
	w.leave(t, store, "$KILLED")
	killed, err := sql.Open("sqlite", store.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer killed.Close()
	if _, err := killed.Exec("UPDATE job SET pid = 2147483647 WHERE id = ?", w.ids["$KILLED"]); err != nil {
		t.Fatal(err)
	}
	w.leave(t, store, "$RUNNING")
}

// record records a job on SQLite from its beginning to its end.
func (w *jobsWorld) record(t *testing.T, store *repository.Store, name string, spec job.Spec, result job.Result, failure error) {
	t.Helper()
	w.recordIn(t, store, 0, name, spec, result, failure)
}

// recordIn records a job as part of a performance profile.
func (w *jobsWorld) recordIn(t *testing.T, store *repository.Store, profile int, name string, spec job.Spec, result job.Result, failure error) {
	t.Helper()
	spec.Database, spec.Workload = "sqlite", "tprocc"
	r, err := store.Begin(t.Context(), spec, jobKinds, profile)
	if err != nil {
		t.Fatal(err)
	}
	w.ids[name] = r.ID()
	r.Watch(job.Event{At: time.Now(), Facts: &job.Facts{SledgeVersion: "v0.test", Server: "3.46.0", Host: job.Host{Name: "client", CPUs: 3, OS: "debian 12", Arch: "amd64", MemoryBytes: 1 << 30}}})
	r.Watch(job.Event{At: time.Now(), User: 1, Message: "RUNNING"})
	if spec.Action == job.Run {
		rate, sum := 4200.0, measuredJob()
		r.Watch(job.Event{At: time.Now(), Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: 1, ServerTPM: &rate}, Measured: sum.Coded()}})
		r.Watch(job.Event{At: time.Now(), User: 2, Message: "Processing 10000000 transactions with output suppressed..."})
	}
	if err := r.End(t.Context(), result, failure); err != nil {
		t.Fatal(err)
	}
}

// leave begins a job that is still running at the end of the test.
func (w *jobsWorld) leave(t *testing.T, store *repository.Store, name string) {
	t.Helper()
	r, err := store.Begin(t.Context(), job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc", Users: 3}, jobKinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.ids[name] = r.ID()
	t.Cleanup(func() { _ = r.End(context.Background(), job.Result{}, nil) })
}

// measuredJob holds 10 new orders of 1 to 10 ms and a payment of 500 ms.
func measuredJob() meter.Summary {
	stripe, sum := meter.NewStripe(), meter.NewSummary(len(jobKinds))
	for i := range 10 {
		d := time.Duration(i+1) * time.Millisecond
		stripe.Record(meter.Record{Kind: 0, Service: d, Response: d})
	}
	stripe.Record(meter.Record{Kind: 1, Service: 500 * time.Millisecond, Response: 500 * time.Millisecond})
	stripe.Take(&sum)
	sum.Elapsed = time.Minute
	return sum
}

// call runs a command line and returns its output, its result, and the exit code of a failure.
func (w *jobsWorld) call(t *testing.T, line string) string {
	t.Helper()
	w.out.Reset()
	w.failing.first = nil
	words := strings.Fields(line)
	for i, word := range words {
		for name, id := range w.ids {
			if word == name {
				words[i] = string(id)
			}
		}
	}
	returned, err := w.Call(context.Background(), Call{Name: words[0], Args: words[1:], Folder: w.folder})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	text := w.out.String()
	if returned != "" {
		text += "= " + returned + "\n"
	}
	if w.failing.first != nil {
		text += "! " + strconv.Itoa(int(job.ExitOf(w.failing.first))) + "\n"
	}
	for name, id := range w.ids {
		text = strings.ReplaceAll(text, string(id), name)
	}
	text = jobsProcess.ReplaceAllString(text, "on <host> as process <pid>")
	return jobsTime.ReplaceAllString(strings.ReplaceAll(text, w.folder, "$DIR"), "<time>")
}

var (
	jobsTime    = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
	jobsProcess = regexp.MustCompile(`on \S+ as process \d+`)
)

// everyForm has every form of the command jobs, with right and wrong numbers of words.
const everyForm = `
jobs
jobs limit 2
jobs --limit 1
jobs limit 0
jobs limit
jobs limit few
jobs limit -1
jobs joblist
jobs joblist more
jobs result
jobs timestamp
jobs format
jobs format xml
jobs format text
jobs result
jobs format JSON
jobs format json
jobs format JSON more
jobs profileid
jobs profileid 5
jobs profileid
jobs profileid 5
jobs profileid five
jobs profileid -1
jobs profileid all
jobs profileid 1 2
jobs profileid 0
jobs profile
jobs profile 5
jobs profile 5 table
jobs profile 5 chart
jobs profile 0
jobs profile 99
jobs profile five
jobs profile 5 table more
jobs diff
jobs diff 5
jobs diff 5 6
jobs diff 5 6 true
jobs diff 5 6 maybe
jobs diff 5 7
jobs diff 5 99
jobs diff 5 five
jobs diff 5 6 true more
jobs cireset
jobs import
jobs import nosuch.DB
jobs import jobs.db
jobs $ONE
job $ONE 0
jobs $ONE 1
jobs $ONE 2
jobs $ONE 3
jobs $ONE -1
jobs $ONE status
jobs $ONE result
jobs $ONE timing
jobs $ONE timing 2
jobs $ONE timing vu=2
jobs $ONE timing 1
jobs $TWO timing 2
jobs $ONE timing two
jobs $ONE timing 2 more
jobs $ONE tcount
jobs $ONE metrics
jobs $ONE system
jobs $ONE db
jobs $ONE bm
jobs $ONE timestamp
jobs $ONE getchart pie
jobs $ONE getchart
jobs $ONE getchart metrics
jobs $BUILD getchart result
jobs $BUILD getchart timing
jobs $BUILD getchart tcount
jobs FFFF getchart result
jobs 77 getchart profile
jobs 5 getchart diff:77
jobs five getchart profile
jobs $ONE nosuch
jobs $ONE result more
jobs $BUILD
jobs $BUILD result
jobs $BUILD timing
jobs $BUILD tcount
jobs $FAILED result
jobs $KILLED
jobs $KILLED status
jobs $KILLED timing
jobs $KILLED db
jobs $KILLED system
jobs $RUNNING delete
jobs FFFF
jobs FFFF result
jobs FFFF save
jobs reslt
jobs 1 2 3 4
jobs $ALONE save
jobs $ALONE delete
jobs $ALONE
jobs format text
jobs $ONE
jobs $ONE status
jobs $ONE result
jobs $ONE timing
jobs $ONE timing 2
jobs $ONE tcount
jobs $ONE system
jobs $ONE db
jobs profileid all
jobs $KILLED status
`

func TestEveryFormOfJobsAnswersAsHammerDBDoes(t *testing.T) {
	w := newJobsWorld(t)
	var got strings.Builder
	got.WriteString("> jobs\n" + w.call(t, "jobs") + "> jobs result\n" + w.call(t, "jobs result") + "> jobs profileid all\n" + w.call(t, "jobs profileid all"))
	w.fill(t)
	for line := range strings.Lines(strings.TrimSpace(everyForm)) {
		line = strings.TrimSpace(line)
		got.WriteString("> " + line + "\n" + w.call(t, line))
	}
	golden := filepath.Join("testdata", "jobs.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestTheSettingsOfAJobAreShownWithDefaultsAndWithoutSecrets(t *testing.T) {
	w := newJobsWorld(t)
	store, err := w.jobsStore()
	if err != nil {
		t.Fatal(err)
	}
	spec := job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Options: option.Values{"rampup": "7"}}
	r, err := store.Begin(t.Context(), spec, jobKinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	got := w.call(t, "jobs "+string(r.ID())+" dict")
	var dict struct{ Connection, TPCC map[string]string }
	if err := json.Unmarshal([]byte(got), &dict); err != nil {
		t.Fatalf("got %q: %v", got, err)
	}
	if dict.Connection["pg_host"] != "localhost" || dict.TPCC["pg_rampup"] != "7" || dict.TPCC["pg_count_ware"] != "1" {
		t.Errorf("got %v, want the given values and defaults", dict)
	}
	if strings.Contains(got, "pass") {
		t.Errorf("got %s, want no passwords", got)
	}
}

func TestJobsThatAreDisabledAreNeitherKeptNorShown(t *testing.T) {
	w := newJobsWorld(t)
	w.fill(t)
	for _, step := range []struct{ line, want string }{
		{"jobs disable", "Error: Usage: jobs disable [ 0 | 1 ]\n! 2\n"},
		{"jobs disable 2", "Error: Usage: jobs disable [ 0 | 1 ]\n! 2\n"},
		{"jobs disable 1", "Disabling jobs repository, which takes effect at once\n"},
		{"jobs", "Error: Jobs Disabled: enable with command \"jobs disable 0\" and restart HammerDB\n! 2\n"},
		{"job $ONE result", "Error: Jobs Disabled: enable with command \"jobs disable 0\" and restart HammerDB\n! 2\n"},
		{"jobs disable 1", "Disabling jobs repository, which takes effect at once\n"},
	} {
		if got := w.call(t, step.line); got != step.want {
			t.Errorf("%s: got %q, want %q", step.line, got, step.want)
		}
	}
	if store, err := w.jobsStore(); store != nil || err != nil {
		t.Errorf("disabled: got the repository %v and error %v, want none", store, err)
	}
	if got := w.call(t, "jobs disable 0"); got != "Enabling jobs repository, which takes effect at once\n" {
		t.Errorf("got %q", got)
	}
	if got := w.call(t, "jobs $ONE db"); !strings.Contains(got, "SQLite") {
		t.Errorf("enabled again: got %q, want the job", got)
	}
}

func TestTheRepositoryIsWhereItsSettingSays(t *testing.T) {
	w := newJobsWorld(t)
	w.fill(t)
	other := filepath.Join(w.folder, "other.db")
	for _, place := range []struct{ setting, want string }{
		{other, "No TPROC-C runs found in database file $DIR/other.db."},
		{":memory:", "No TPROC-C runs found in database file :memory:."},
		{"TEMP", "$BEST"}, // the default path
	} {
		w.call(t, "giset commandline sqlite_db "+place.setting)
		if got := w.call(t, "jobs"); !strings.Contains(got, place.want) {
			t.Errorf("sqlite_db %s: got %s, want %q", place.setting, got, place.want)
		}
	}
}

func TestJobsOfHammerDBAreImportedAndShown(t *testing.T) {
	w := newJobsWorld(t)
	db, err := sql.Open("sqlite", filepath.Join(w.folder, "hammer.DB"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE JOBMAIN (jobid TEXT, db TEXT, bm TEXT, jobdict TEXT, timestamp DATETIME);
		CREATE TABLE JOBOUTPUT (jobid TEXT, vu INTEGER, output TEXT);
		CREATE TABLE JOBTIMING (jobid TEXT, vu INTEGER, procname TEXT, calls INTEGER, summary INTEGER, avg_ms REAL);
		INSERT INTO JOBMAIN VALUES ('67FD3345479A03E263133333', 'MariaDB', 'TPC-C', 'connection {maria_host db1} tpcc {maria_pass secret maria_count_ware 9}', '2025-04-14 17:09:41');
		INSERT INTO JOBOUTPUT VALUES ('67FD3345479A03E263133333', 1, 'TEST RESULT : System achieved 128176 NOPM from 298394 MariaDB TPM');
		INSERT INTO JOBTIMING VALUES ('67FD3345479A03E263133333', 1, 'NEWORD', 17, 1, 5.5), ('67FD3345479A03E263133333', 3, 'NEWORD', 4, 0, 6.5);
		INSERT INTO JOBMAIN VALUES ('strange', 'MariaDB', 'TPC-C', '', '2025-04-14 17:09:41')`)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ line, want string }{
		{"jobs import hammer.DB", "Imported 1 jobs from $DIR/hammer.DB, 0 were there already"},
		{"jobs import hammer.DB", "Warning: job strange: "},
		{"jobs import hammer.DB", "Imported 0 jobs from $DIR/hammer.DB, 1 were there already"},
		{"jobs", "67FD3345479A03E263133333   MariaDB            <time> Benchmark Run  128176     TOP"},
		{"jobs 67FD3345479A03E263133333 timing", `"calls": "17"`},
		{"jobs 67FD3345479A03E263133333 timing 3", `"avg_ms": "6.500"`},
		{"jobs 67FD3345479A03E263133333 dict", `"maria_count_ware": "9"`},
		{"jobs 67FD3345479A03E263133333 save", "Saved job report JSON to $DIR/hdb_67FD3345479A03E263133333.json"},
	} {
		got := w.call(t, step.line)
		if !strings.Contains(got, step.want) || strings.Contains(got, "secret") {
			t.Errorf("%s: got %q, want it to hold %q", step.line, got, step.want)
		}
	}
	artifact, err := os.ReadFile(filepath.Join(w.folder, "hdb_67FD3345479A03E263133333.json"))
	if err != nil || !json.Valid(artifact) || bytes.Contains(artifact, []byte("secret")) || !bytes.Contains(artifact, []byte("hammerdb-job-report-v1")) {
		t.Errorf("got the report %s and error %v", artifact, err)
	}
}

func TestJobs_AcceptTheResultOfVurun(t *testing.T) {
	w := newJobsWorld(t)
	w.fill(t)
	returned := "Benchmark Run jobid=" + string(w.ids["$ONE"])
	if _, err := w.Call(t.Context(), Call{Name: "jobs", Args: []string{returned, "result"}}); err != nil || w.failing.first != nil {
		t.Errorf("got error %v and failure %v", err, w.failing.first)
	}
	if !strings.Contains(w.out.String(), "TEST RESULT") {
		t.Errorf("got %q, want the result", &w.out)
	}
}

func TestJobsAreDeletedByTheirWholeIDOnly(t *testing.T) {
	w := newJobsWorld(t)
	w.fill(t)
	for _, name := range []string{"last", string(w.ids["$ONE"][:23])} {
		if got := w.call(t, "jobs "+name+" delete"); !strings.Contains(got, "! 2") {
			t.Errorf("jobs %s delete: got %q, want a refusal", name, got)
		}
	}
}

// TestJobs_FitTheTerminal lists the jobs at terminals of several heights, and in a script,
// which has no terminal.
func TestJobs_FitTheTerminal(t *testing.T) {
	w := newJobsWorld(t)
	w.fill(t)
	height := 0
	for _, test := range []struct{ height, shown int }{
		{16, 6}, {3, 5}, {100, 9}, {0, 9},
	} {
		height = test.height
		w.Height = func() int { return height }
		if height == 0 {
			w.Height = nil
		}
		got := w.call(t, "jobs")
		shown := strings.Count(got, "Benchmark Run") + strings.Count(got, "Schema ")
		hint := "The newest " + strconv.Itoa(test.shown) + " of 9 jobs: jobs limit 0 shows all"
		if shown != test.shown || strings.Contains(got, hint) != (shown < 9) {
			t.Errorf("height %d: got\n%s\nwant %d jobs, and a hint if that is not all", height, got, test.shown)
		}
		if lines := strings.Count(got, "\n"); height > 10 && lines >= height {
			t.Errorf("height %d: got %d lines, which do not fit", height, lines)
		}
	}
}
