package repository

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

var kinds = []string{"new order", "payment"}

func runSpec() job.Spec {
	return job.Spec{
		Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 4, Seed: 7,
		Options: option.Values{"pg_count_ware": "1"},
	}
}

// openStore opens a repository at path for as long as the test lasts.
func openStore(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func begin(t *testing.T, s *Store, spec job.Spec) *Recorder {
	t.Helper()
	r, err := s.Begin(t.Context(), spec, kinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// measured returns the measurements of n transactions of each kind, drawn at random.
func measured(seed uint64, n int) *meter.Summary {
	random := rand.New(rand.NewPCG(seed, 0))
	stripe, sum := meter.NewStripe(), meter.NewSummary(len(kinds))
	for range n {
		for k := range kinds {
			service := time.Duration(2e6 * math.Exp(random.NormFloat64()*0.7))
			stripe.Record(meter.Record{Kind: meter.Kind(k), Service: service, Response: service + service/8, Sent: uint32(n), Received: 50, RoundTrips: 2})
		}
	}
	stripe.Record(meter.Record{Kind: 0, Outcome: meter.RolledBack})
	stripe.Record(meter.Record{Kind: 1, Outcome: meter.Failed, Class: meter.Deadlock, Retries: 3})
	stripe.Take(&sum)
	sum.Elapsed = time.Second
	return &sum
}

func second(phase job.Phase, n int, sum *meter.Summary, tpm *float64) job.Event {
	offset := time.Duration(n) * time.Second
	return job.Event{At: time.UnixMilli(1_700_000_000_000).Add(offset), Second: &job.Second{Moment: job.Moment{Phase: phase, Offset: offset.Seconds(), ServerTPM: tpm}, Measured: sum.Coded()}}
}

func collect[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var list []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func sameSummary(t *testing.T, what string, got, want meter.Summary) {
	t.Helper()
	if got.Elapsed != want.Elapsed || len(got.Kinds) != len(want.Kinds) {
		t.Fatalf("%s: got %d kinds over %v, want %d over %v", what, len(got.Kinds), got.Elapsed, len(want.Kinds), want.Elapsed)
	}
	for k := range want.Kinds {
		g, w := &got.Kinds[k], &want.Kinds[k]
		if g.Done != w.Done || g.RolledBack != w.RolledBack || g.Retried != w.Retried || g.Failed != w.Failed {
			t.Errorf("%s, kind %d: got %+v, want %+v", what, k, g, w)
		}
		if !g.Service.Equals(w.Service) || !g.Response.Equals(w.Response) {
			t.Errorf("%s, kind %d: the histograms differ from the measured ones", what, k)
		}
	}
}

func TestStore_ReturnsARunAsRecorded(t *testing.T) {
	for _, path := range []string{":memory:", filepath.Join(t.TempDir(), "a folder?", "jobs.db")} {
		s := openStore(t, path)
		r := begin(t, s, runSpec())
		tpm := 12345.5
		want := meter.NewSummary(len(kinds))
		facts := job.Facts{SledgeVersion: "1.0", Server: "16.4", Target: "localhost:5432", ServerSettings: map[string]string{"fsync": "on"}, Host: host.This()}
		r.Watch(job.Event{At: time.Now(), Facts: &facts})
		r.Watch(job.Event{At: time.Now(), Phase: &job.PhaseSpan{Name: job.RampUp}})
		r.Watch(job.Event{At: time.Now(), Progress: &job.Progress{Step: "load"}})
		r.Watch(second(job.RampUp, 1, measured(1, 50), nil))
		for n := 1; n <= 3; n++ {
			sum := measured(uint64(n), 100*n)
			want.Add(*sum)
			r.Watch(second(job.Measure, n, sum, &tpm))
		}
		r.Watch(job.Event{At: time.UnixMilli(1_700_000_000_000), User: 1, Message: "Rampup complete"})
		r.Watch(job.Event{At: time.UnixMilli(1_700_000_000_000), User: 2, Failure: &job.Failure{Kind: "payment", Class: "deadlock", Message: "deadlock detected", Retried: true}})
		result := job.Result{
			Line: "TEST RESULT : System achieved 1 NOPM from 2 PostgreSQL TPM", Extent: job.Extent{Users: 4, Elapsed: 3}, Measured: job.Measured{Kinds: kinds, Summary: want}, Metrics: []job.Metric{{Name: "NOPM", Value: 1}}, Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 1, Server: 1, Low: 1, High: 2, Holds: true}}, Beside: job.Beside{Client: &job.ClientLoad{CPUSeconds: 1.2, CoresUsed: 0.4, Cores: 1, MaxProcs: 1, GCPauses: 3, GCPauseSeconds: 0.001}},
		}
		if err := r.End(t.Context(), result, nil); err != nil {
			t.Fatal(err)
		}

		j, err := s.Get(t.Context(), r.ID())
		if err != nil {
			t.Fatal(err)
		}
		if j.Status != job.Succeeded || j.Reason != "" || j.PID != os.Getpid() || j.Dropped != 0 || j.Ended.Before(j.Begun) {
			t.Errorf("got job %+v", j)
		}
		if j.Spec.Seed != 7 || j.Spec.Options["pg_count_ware"] != "1" || !slices.Equal(j.Kinds, kinds) {
			t.Errorf("got spec %+v and kinds %v", j.Spec, j.Kinds)
		}
		if j.Facts == nil || j.Facts.Server != "16.4" || !reflect.DeepEqual(j.Facts.Host, facts.Host) || j.Facts.ServerSettings["fsync"] != "on" {
			t.Errorf("got facts %+v, want %+v", j.Facts, facts)
		}
		if j.Result.Line != result.Line || j.Result.Metrics[0].Value != 1 || !j.Result.Agreement.Holds || !reflect.DeepEqual(j.Result.Client, result.Client) {
			t.Errorf("got result %+v", j.Result)
		}
		sum, names, err := s.Summary(t.Context(), r.ID())
		if err != nil || !slices.Equal(names, kinds) {
			t.Fatalf("got kinds %v, error %v", names, err)
		}
		sameSummary(t, "summary", sum, want)

		seconds := collect(t, s.Seconds(t.Context(), r.ID()))
		if len(seconds) != 4 || seconds[0].Second.Phase != job.RampUp || seconds[0].Second.ServerTPM != nil {
			t.Fatalf("got %d seconds, the first %+v", len(seconds), seconds[0])
		}
		for n := 1; n <= 3; n++ {
			got := seconds[n]
			if got.Second.Phase != job.Measure || got.Second.Offset != float64(n) || *got.Second.ServerTPM != tpm || got.At.Unix() != 1_700_000_000+int64(n) {
				t.Errorf("second %d: got %+v", n, got)
			}
			part, err := got.Second.Measured.Summary()
			if err != nil {
				t.Fatal(err)
			}
			sameSummary(t, fmt.Sprint("second ", n), part, *measured(uint64(n), 100*n))
		}
		if lines := collect(t, s.Events(t.Context(), r.ID())); len(lines) != 4 || lines[2].Message != "Rampup complete" || lines[2].User != 1 {
			t.Errorf("got output %+v", lines)
		}
		if list := collect(t, s.Failures(t.Context(), r.ID())); len(list) != 1 || list[0].Message != "deadlock detected" || !list[0].Retried || list[0].User != 2 {
			t.Errorf("got failures %+v", list)
		}
	}
}

func TestEnd_SettlesTheStatus(t *testing.T) {
	s := openStore(t, ":memory:")
	for _, c := range []struct {
		result job.Result
		err    error
		want   job.Status
		reason string
	}{
		{job.Result{}, nil, job.Succeeded, ""},
		{job.Result{Status: job.Partial, Reason: "stopped"}, nil, job.Partial, "stopped"},
		{job.Result{}, errors.New("no route"), job.Failed, "no route"},
		{job.Result{Status: job.Succeeded}, errors.New("no route"), job.Failed, "no route"},
		{job.Result{Status: job.Invalid, Reason: "5 % failed"}, errors.New("too many failures"), job.Invalid, "5 % failed"},
	} {
		r := begin(t, s, runSpec())
		if err := r.End(t.Context(), c.result, c.err); err != nil {
			t.Fatal(err)
		}
		j, err := s.Get(t.Context(), r.ID())
		if err != nil || j.Status != c.want || j.Reason != c.reason {
			t.Errorf("%+v, %v: got %s, %q, %v; want %s, %q", c.result, c.err, j.Status, j.Reason, err, c.want, c.reason)
		}
		if err := r.End(t.Context(), c.result, c.err); err == nil {
			t.Error("a second End is not refused")
		}
	}
}

func TestEnd_KeepsMeasurementsIfTheResultCannotBeEncoded(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	want := *measured(1, 10)
	if err := r.End(t.Context(), job.Result{Metrics: []job.Metric{{Name: "NOPM", Value: math.NaN()}}, Measured: job.Measured{Summary: want}}, nil); err == nil {
		t.Error("End ignores a metric that is not a number")
	}
	j, err := s.Get(t.Context(), r.ID())
	if err != nil || j.Status != job.Failed || j.Reason == "" {
		t.Errorf("got %s, %q, %v", j.Status, j.Reason, err)
	}
	sum, _, err := s.Summary(t.Context(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	sameSummary(t, "summary", sum, want)
}

func TestRecorder_RecordsACancelledRunToItsEnd(t *testing.T) {
	s := openStore(t, ":memory:")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.Begin(ctx, runSpec(), kinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	r.Watch(job.Event{At: time.Now(), Message: "stopping"})
	if err := r.End(ctx, job.Result{Status: job.Partial}, nil); err != nil {
		t.Fatal(err)
	}
	if lines := collect(t, s.Events(t.Context(), r.ID())); len(lines) != 1 {
		t.Errorf("got %d lines, want 1", len(lines))
	}
}

func TestRecorder_MergesSecondsAfterTheFirstHour(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	want := meter.NewSummary(len(kinds))
	hour := int(fineFor / time.Second)
	tpm := 60.0
	for n := hour - 1; n <= hour+65; n++ {
		sum := measured(uint64(n), 20)
		want.Add(*sum)
		r.Watch(second(job.Measure, n, sum, &tpm))
	}
	r.Watch(second(job.Finish, 1, measured(1, 1), nil))
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	var got []time.Duration
	for _, second := range collect(t, s.Seconds(t.Context(), r.ID())) {
		got = append(got, second.Second.Measured.Elapsed/time.Second)
	}
	// Two seconds at the end of the first hour, 65 more that are stored as half minutes, and one
	// second of the other phase.
	if want := []time.Duration{1, 1, 30, 30, 5, 1}; !slices.Equal(got, want) {
		t.Errorf("got spans of %v seconds, want %v", got, want)
	}
	sum, _, err := s.Summary(t.Context(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	sameSummary(t, "summary", sum, want)
}

func TestList_Filters(t *testing.T) {
	s := openStore(t, ":memory:")
	if _, err := s.Get(t.Context(), "last"); !errors.Is(err, ErrNotFound) || job.ExitOf(err) != job.ExitMissing {
		t.Errorf("in an empty repository: got %v", err)
	}
	var ids []job.ID
	for _, spec := range []job.Spec{
		{Action: job.Build, Database: "postgresql", Workload: "tprocc"},
		{Action: job.Run, Database: "postgresql", Workload: "tprocc"},
		{Action: job.Run, Database: "mariadb", Workload: "pgbench"},
	} {
		r := begin(t, s, spec)
		ids = append(ids, r.ID())
		if err := r.End(t.Context(), job.Result{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	running := begin(t, s, job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc"})
	for _, c := range []struct {
		query Query
		want  []job.ID
	}{
		{Query{}, []job.ID{running.ID(), ids[2], ids[1], ids[0]}},
		{Query{Limit: 2}, []job.ID{running.ID(), ids[2]}},
		{Query{Action: job.Run}, []job.ID{running.ID(), ids[2], ids[1]}},
		{Query{Database: "postgresql"}, []job.ID{ids[1], ids[0]}},
		{Query{Database: "postgresql", Action: job.Build}, []job.ID{ids[0]}},
		{Query{Workload: "pgbench"}, []job.ID{ids[2]}},
		{Query{Status: job.Running}, []job.ID{running.ID()}},
		{Query{Status: job.Killed}, nil},
		{Query{Status: job.Succeeded, Limit: 1}, []job.ID{ids[2]}},
		{Query{Before: ids[2]}, []job.ID{ids[1], ids[0]}},
		{Query{Before: ids[2], Limit: 1}, []job.ID{ids[1]}},
		{Query{Before: ids[0]}, nil},
		{Query{Since: time.Now().Add(-time.Hour)}, []job.ID{running.ID(), ids[2], ids[1], ids[0]}},
		{Query{Since: time.Now().Add(time.Hour)}, nil},
	} {
		jobs, err := s.List(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		var got []job.ID
		for _, j := range jobs {
			got = append(got, j.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v, want %v", c.query, got, c.want)
		}
	}

	if err := s.Delete(t.Context(), running.ID()); err == nil || job.ExitOf(err) != job.ExitUsage {
		t.Errorf("deleting a running job: got %v, want an error", err)
	}
	if err := running.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "last"); err != nil {
		t.Error(err)
	}
	if j, err := s.Get(t.Context(), "LAST"); err != nil || j.ID != ids[2] {
		t.Errorf("last: got %s, %v; want %s", j.ID, err, ids[2])
	}
	if j, err := s.Get(t.Context(), job.ID(strings.ToLower(string(ids[1][:18])))); err != nil || j.ID != ids[1] {
		t.Errorf("by its first digits in lower case: got %s, %v; want %s", j.ID, err, ids[1])
	}
}

func TestGet_SuggestsIDs(t *testing.T) {
	s := openStore(t, ":memory:")
	for _, id := range []job.ID{"6421B4C85F7E03E293532393", "6421B4C85F7E03E2935323AA"} {
		r := begin(t, s, runSpec())
		if err := r.End(t.Context(), job.Result{}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Exec("UPDATE job SET id = ? WHERE id = ?", id, r.ID()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		id   job.ID
		want string
		exit job.Exit
	}{
		{"6421B4C85F7E03E293532392", "find job 6421B4C85F7E03E293532392: no such job: did you mean 6421B4C85F7E03E293532393?", job.ExitMissing},
		{"ABCDEF", "find job ABCDEF: no such job: the newest is 6421B4C85F7E03E2935323AA", job.ExitMissing},
		{"6421b4", "the IDs of several jobs begin with 6421b4, such as 6421B4C85F7E03E2935323AA and 6421B4C85F7E03E293532393: give more digits", job.ExitUsage},
		{"latest", `"latest" is not the ID of a job: give its first hexadecimal digits, or "last"`, job.ExitUsage},
		{"", `"" is not the ID of a job: give its first hexadecimal digits, or "last"`, job.ExitUsage},
		{"*", `"*" is not the ID of a job: give its first hexadecimal digits, or "last"`, job.ExitUsage},
	} {
		_, err := s.Get(t.Context(), c.id)
		if err == nil || err.Error() != c.want || job.ExitOf(err) != c.exit {
			t.Errorf("%q: got %v (exit %d), want %s (exit %d)", c.id, err, job.ExitOf(err), c.want, c.exit)
		}
		if err := s.Delete(t.Context(), c.id); err == nil {
			t.Errorf("%q: Delete does not say that there is no such job", c.id)
		}
		for _, err := range s.Seconds(t.Context(), c.id) {
			if err == nil {
				t.Errorf("%q: Seconds does not say that there is no such job", c.id)
			}
		}
	}
}

func TestDelete_LeavesNoRows(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	r.Watch(second(job.Measure, 1, measured(1, 10), nil))
	r.Watch(job.Event{At: time.Now(), Message: "a line"})
	r.Watch(job.Event{At: time.Now(), Failure: &job.Failure{}})
	r.Count(job.Count{At: time.Now(), Rate: 1})
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		t.Helper()
		err := s.db.QueryRow(`SELECT (SELECT count(*) FROM job) + (SELECT count(*) FROM span) + (SELECT count(*) FROM tally)
			+ (SELECT count(*) FROM output) + (SELECT count(*) FROM event) + (SELECT count(*) FROM failure)
			+ (SELECT count(*) FROM series) + (SELECT count(*) FROM sample) + (SELECT count(*) FROM samples)`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 9 { // a job, a span with two tallies, two events, a failure, a series and its samples
		t.Errorf("got %d rows before, want 9", n)
	}
	if err := s.Delete(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("got %d rows afterwards, want 0", n)
	}
}

func TestEvents_AreReadPageByPage(t *testing.T) {
	s := openStore(t, ":memory:")
	a, b := begin(t, s, runSpec()), begin(t, s, runSpec())
	const lines = 2*pageRows + 1
	for n := range lines {
		a.Watch(job.Event{At: time.Now(), Message: fmt.Sprint(n)})
		b.Watch(job.Event{At: time.Now(), Message: "another job's"})
	}
	for _, r := range []*Recorder{a, b} {
		if err := r.End(t.Context(), job.Result{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	got := collect(t, s.Events(t.Context(), a.ID()))
	if len(got) != lines {
		t.Fatalf("got %d lines, want %d", len(got), lines)
	}
	for n, line := range got {
		if line.Message != fmt.Sprint(n) {
			t.Fatalf("line %d: got %q", n, line.Message)
		}
	}
	for _, err := range s.Events(t.Context(), a.ID()) {
		if err != nil {
			t.Fatal(err)
		}
		break // must not continue
	}
}

func TestReadings_AreInOrderWithSeveralWriters(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	at := time.UnixMilli(1_700_000_000_000)
	var want []job.Count
	var counter sync.WaitGroup
	for n := range pageRows + 1 {
		want = append(want, job.Count{At: at.Add(time.Duration(n) * time.Second), Rate: float64(n) + 0.5})
	}
	counter.Go(func() {
		for _, c := range want {
			r.Count(c)
		}
	})
	for n := range 100 {
		r.Watch(job.Event{At: at, Message: fmt.Sprint(n)})
	}
	counter.Wait()
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	got := collect(t, s.Readings(t.Context(), r.ID()))
	if !slices.EqualFunc(got, want, func(g, w job.Count) bool { return g.At.Equal(w.At) && g.Rate == w.Rate }) {
		t.Errorf("got %d readings from %v to %v, want %d", len(got), got[0], got[len(got)-1], len(want))
	}
}

func TestBegin_RefusesSecrets(t *testing.T) {
	s := openStore(t, ":memory:")
	for _, name := range []string{"pg_pass", "pg_superuserpass", "maria_tpch_PASS", "password", "db2_password"} {
		spec := runSpec()
		spec.Options = option.Values{name: "hunter2"}
		_, err := s.Begin(t.Context(), spec, kinds, 0)
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want an error that names the option but not its value", name, err)
		}
	}
	if jobs, _ := s.List(t.Context(), Query{}); len(jobs) != 0 {
		t.Errorf("%d jobs were recorded all the same", len(jobs))
	}
}

func TestNewID_DiffersWithinASecond(t *testing.T) {
	seen := map[job.ID]bool{}
	for range 1000 {
		id := job.NewID()
		if !regexp.MustCompile(`^[0-9A-F]{24}$`).MatchString(string(id)) || seen[id] {
			t.Fatalf("got %s", id)
		}
		seen[id] = true
	}
}

func TestOpen_CreatesFilesForTheirOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "sledge", "jobs.db")
	s := openStore(t, path)
	r := begin(t, s, runSpec())
	for name, want := range map[string]os.FileMode{path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: got mode %o, want %o", filepath.Base(name), got, want)
		}
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
}

func TestDefaultPath_FollowsTheEnvironment(t *testing.T) {
	t.Setenv("SLEDGE_REPO", "")
	t.Setenv("HOME", "/home/somebody")
	for _, c := range []struct{ repo, data, want string }{
		{"/tmp/other.db", "/data", "/tmp/other.db"},
		{"", "/data", "/data/sledge/jobs.db"},
		{"", "relative", "/home/somebody/.local/share/sledge/jobs.db"},
		{"", "", "/home/somebody/.local/share/sledge/jobs.db"},
	} {
		t.Setenv("SLEDGE_REPO", c.repo)
		t.Setenv("XDG_DATA_HOME", c.data)
		if got, err := DefaultPath(); got != c.want || err != nil {
			t.Errorf("SLEDGE_REPO=%s XDG_DATA_HOME=%s: got %s, %v; want %s", c.repo, c.data, got, err, c.want)
		}
	}
}

func TestMigrate_TakesEachStepOnce(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:?"+settings)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	steps := []string{"CREATE TABLE a (n INTEGER)", "ALTER TABLE a ADD COLUMN m INTEGER", "INSERT INTO a VALUES (1, 2); INSERT INTO a VALUES (3, 4)"}
	for upTo := range len(steps) + 1 {
		for range 2 {
			if err := migrate(t.Context(), db, steps[:upTo]); err != nil {
				t.Fatal(err)
			}
		}
	}
	var rows, version int
	if err := db.QueryRow("SELECT count(m), (SELECT user_version FROM pragma_user_version) FROM a").Scan(&rows, &version); err != nil {
		t.Fatal(err)
	}
	if rows != 2 || version != 3 {
		t.Errorf("got %d rows at version %d, want 2 at 3", rows, version)
	}
	if err := migrate(t.Context(), db, append(steps, "INSERT INTO a VALUES (5, 6)", "no SQL")); err == nil {
		t.Error("migrate does not report a failed step")
	}
	if err := db.QueryRow("SELECT count(*) FROM a").Scan(&rows); err != nil || rows != 2 {
		t.Errorf("after a failed step: got %d rows, %v; want 2", rows, err)
	}
	if err := migrate(t.Context(), db, steps[:2]); err == nil || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("a newer schema: got %v", err)
	}
}

func TestOpen_LeavesForeignFilesAlone(t *testing.T) {
	folder := t.TempDir()
	text, other := filepath.Join(folder, "notes.txt"), filepath.Join(folder, "other.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("dear diary\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE jobmain (jobid TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, other} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil {
			t.Errorf("Open accepts %s as a repository", filepath.Base(path))
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s was changed", filepath.Base(path))
		}
	}
}

func TestRecorder_ReportsAFullDiskAtTheEnd(t *testing.T) {
	s := openStore(t, ":memory:") // its only connection has the limit
	r := begin(t, s, runSpec())
	var size int
	if err := s.db.QueryRow("PRAGMA page_count").Scan(&size); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		t.Helper()
		if _, err := s.db.Exec(fmt.Sprint("PRAGMA max_page_count = ", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(size)
	for n := range 10 {
		r.Watch(second(job.Measure, n+1, measured(uint64(n), 1000), nil))
	}
	r.flush(t.Context())
	if len(collect(t, s.Seconds(t.Context(), r.ID()))) != 0 {
		t.Fatal("the disk was not full")
	}
	limit(size + 1000) // space was freed
	r.flush(t.Context())
	if n := len(collect(t, s.Seconds(t.Context(), r.ID()))); n != 10 {
		t.Errorf("got %d seconds after space was freed, want 10", n)
	}
	if err := s.db.QueryRow("PRAGMA page_count").Scan(&size); err != nil {
		t.Fatal(err)
	}
	limit(size)
	for n := range 20 {
		r.Watch(second(job.Measure, n+11, measured(uint64(n), 1000), nil))
	}
	err := r.End(t.Context(), job.Result{}, nil)
	if err == nil || !strings.Contains(err.Error(), "20 events") || !strings.Contains(err.Error(), "full") {
		t.Errorf("got %v, want an error about 20 lost events and a full disk", err)
	}
	j, err := s.Get(t.Context(), r.ID())
	if err != nil || j.Status != job.Succeeded || j.Dropped != 20 || !strings.Contains(j.Result.Unrecorded, "20 events") {
		t.Errorf("got %s (%s) with %d events dropped, %v; want the job's own status and 20 missing events", j.Status, j.Result.Unrecorded, j.Dropped, err)
	}
}

// TestRecorder_MarksIncompleteJobs ends jobs on disks with different amounts of free space.
func TestRecorder_MarksIncompleteJobs(t *testing.T) {
	var succeeded, marked, running int
	var seconds []job.Event
	for n := range 5 {
		seconds = append(seconds, second(job.Measure, n+1, measured(uint64(n), 1000), nil))
	}
	result := job.Result{Measured: job.Measured{Summary: *measured(7, 5000)}, Line: strings.Repeat("long ", 1000)}
	for room := range 60 { // pages
		s := openStore(t, ":memory:")                  // its only connection has the limit
		if _, err := s.db.Exec("VACUUM"); err != nil { // removes free pages of the migrations
			t.Fatal(err)
		}
		r := begin(t, s, runSpec())
		var size int
		if err := s.db.QueryRow("PRAGMA page_count").Scan(&size); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Exec(fmt.Sprint("PRAGMA max_page_count = ", size+room)); err != nil {
			t.Fatal(err)
		}
		for _, e := range seconds {
			r.Watch(e)
		}
		end := r.End(t.Context(), result, nil)
		j, err := s.Get(t.Context(), r.ID())
		if err != nil {
			t.Fatal(err)
		}
		whole := len(collect(t, s.Seconds(t.Context(), r.ID()))) == 5
		switch {
		case j.Status == job.Succeeded && end == nil:
			succeeded++
			if !whole || j.Dropped > 0 || j.Result.Unrecorded != "" {
				t.Errorf("room for %d pages: recorded with all seconds: %t, %d dropped and %q", room, whole, j.Dropped, j.Result.Unrecorded)
			}
		case end == nil:
			t.Errorf("room for %d pages: got status %s and no error", room, j.Status)
		case j.Status == job.Succeeded:
			marked++
			if !strings.Contains(j.Result.Unrecorded, "full") {
				t.Errorf("room for %d pages: got %q, want the disk", room, j.Result.Unrecorded)
			}
		case j.Status == job.Running: // killed, when this process has ended
			running++
		}
	}
	if succeeded == 0 || marked == 0 || running == 0 {
		t.Errorf("got %d complete jobs, %d that name missing events and %d without an end, want some of each", succeeded, marked, running)
	}
}

func TestRecorder_ShowsASignOfLife(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	if _, err := s.db.Exec("UPDATE job SET seen_ms = 0"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		silent time.Duration
		want   bool
	}{{heartbeat / 2, false}, {heartbeat, true}} {
		r.mu.Lock()
		r.written = time.Now().Add(-c.silent)
		r.mu.Unlock()
		r.flush(t.Context())
		var seen int64
		if err := s.db.QueryRow("SELECT seen_ms FROM job").Scan(&seen); err != nil || (seen > 0) != c.want {
			t.Errorf("after %v without an event: seen at %d, %v; want a sign of life: %t", c.silent, seen, err, c.want)
		}
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
}

// child starts this test binary, which plays a role with the repository at path.
func child(t *testing.T, role, path string) (cmd *exec.Cmd, out *bufio.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SLEDGE_TEST_ROLE="+role, "SLEDGE_TEST_PATH="+path)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewReader(pipe)
}

func TestMain(m *testing.M) {
	role, path := os.Getenv("SLEDGE_TEST_ROLE"), os.Getenv("SLEDGE_TEST_PATH")
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(role, path); err != nil {
		fmt.Fprintln(os.Stderr, role, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// play plays the role of a child process.
func play(role, path string) error {
	s, err := Open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := s.Begin(context.Background(), runSpec(), kinds, 0)
	if err != nil {
		return err
	}
	switch role {
	case "hang": // measures three seconds, then waits to be killed
		r.Watch(second(job.RampUp, 1, measured(9, 100), nil))
		for n := 1; n <= 3; n++ {
			r.Watch(second(job.Measure, n, measured(uint64(n), 100), nil))
		}
		r.flush(context.Background())
		fmt.Println(r.ID())
		select {}
	case "write": // writes without end
		fmt.Println(r.ID())
		for n := 1; ; n++ {
			r.Watch(second(job.Measure, n, measured(uint64(n), 100), nil))
			r.flush(context.Background())
		}
	case "finish":
		for n := 1; n <= 20; n++ {
			r.Watch(second(job.Measure, n, measured(uint64(n), 100), nil))
			r.flush(context.Background())
		}
		fmt.Println(r.ID())
		return r.End(context.Background(), job.Result{}, nil)
	}
	return fmt.Errorf("there is no role %s", role)
}

func firstLine(t *testing.T, out *bufio.Reader) job.ID {
	t.Helper()
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return job.ID(strings.TrimSpace(line))
}

func TestGet_ReportsAKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	cmd, out := child(t, "hang", path)
	id := firstLine(t, out)
	s := openStore(t, path)
	j, err := s.Get(t.Context(), id)
	if err != nil || j.Status != job.Running || j.PID != cmd.Process.Pid {
		t.Fatalf("before: got %s by process %d, %v; want running by %d", j.Status, j.PID, err, cmd.Process.Pid)
	}
	if err := s.Delete(t.Context(), id); err == nil {
		t.Error("Delete removed the running job of another process")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for j.Status == job.Running && time.Now().Before(deadline) { // until the process is a zombie
		if j, err = s.Get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if j.Status != job.Killed || j.Ended.IsZero() || !strings.Contains(j.Reason, fmt.Sprint(cmd.Process.Pid)) {
		t.Fatalf("as a zombie: got %s, %q", j.Status, j.Reason)
	}
	_ = cmd.Wait()
	jobs, err := s.List(t.Context(), Query{Status: job.Killed})
	if err != nil || len(jobs) != 1 || jobs[0].ID != id {
		t.Errorf("got killed jobs %v, %v", jobs, err)
	}
	if jobs, _ := s.List(t.Context(), Query{Status: job.Running}); len(jobs) != 0 {
		t.Errorf("got running jobs %v", jobs)
	}
	want := meter.NewSummary(len(kinds))
	for n := 1; n <= 3; n++ {
		want.Add(*measured(uint64(n), 100))
	}
	sum, _, err := s.Summary(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	sameSummary(t, "sum of the seconds", sum, want)
	if err := s.Delete(t.Context(), id); err != nil {
		t.Error(err)
	}
}

func TestJudge_DistinguishesProcessesWithTheSamePID(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	for _, c := range []struct {
		change string
		want   job.Status
		reason string
	}{
		{"process_begun_ms = process_begun_ms + 500", job.Running, ""}, // the clock was adjusted
		{"process_begun_ms = process_begun_ms - 60000", job.Killed, "went away"},
		{"host = 'elsewhere'", job.Running, "running on elsewhere"},
		{"seen_ms = seen_ms - 3600000", job.Killed, "it has shown no sign of life on elsewhere"},
	} {
		if _, err := s.db.Exec("UPDATE job SET " + c.change); err != nil {
			t.Fatal(err)
		}
		j, err := s.Get(t.Context(), r.ID())
		if err != nil || j.Status != c.want || !strings.Contains(j.Reason, c.reason) {
			t.Errorf("%s: got %s, %q, %v; want %s, %q", c.change, j.Status, j.Reason, err, c.want, c.reason)
		}
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
}

func TestRecorder_LeavesAReadableFileIfKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	for range 3 {
		cmd, out := child(t, "write", path)
		id := firstLine(t, out)
		s := openStore(t, path)
		for deadline := time.Now().Add(time.Minute); len(collect(t, s.Seconds(t.Context(), id))) < 3; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the process did not write three seconds within a minute")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		var sound string
		if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
			t.Fatalf("integrity check: %s, %v", sound, err)
		}
		seconds := collect(t, s.Seconds(t.Context(), id))
		for n, second := range seconds { // no second is missing or incomplete
			part, err := second.Second.Measured.Summary()
			if err != nil || second.Second.Offset != float64(n+1) {
				t.Fatalf("second %d: got offset %v, %v", n+1, second.Second.Offset, err)
			}
			if part.Kinds[0].Done != 100 || part.Kinds[1].Done != 100 {
				t.Fatalf("second %d: got %d and %d done, want 100 each", n+1, part.Kinds[0].Done, part.Kinds[1].Done)
			}
		}
		if j, err := s.Get(t.Context(), id); err != nil || j.Status != job.Killed {
			t.Errorf("got %s, %v", j.Status, err)
		}
	}
}

func TestStore_TakesSeveralProcessesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	const processes = 4
	var children []*exec.Cmd
	var ids []job.ID
	var outs []*bufio.Reader
	for range processes { // any of them may create the file
		cmd, out := child(t, "finish", path)
		children, outs = append(children, cmd), append(outs, out)
	}
	for i, cmd := range children {
		ids = append(ids, firstLine(t, outs[i]))
		if rest, err := io.ReadAll(outs[i]); err != nil || len(rest) > 0 {
			t.Errorf("got %q, %v after the id", rest, err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	s := openStore(t, path)
	for _, id := range ids {
		j, err := s.Get(t.Context(), id)
		if err != nil || j.Status != job.Succeeded {
			t.Errorf("%s: got %s, %v", id, j.Status, err)
		}
		if n := len(collect(t, s.Seconds(t.Context(), id))); n != 20 {
			t.Errorf("%s: got %d seconds, want 20", id, n)
		}
	}
}

func TestThis_DescribesTheHost(t *testing.T) {
	h := host.This()
	name, _ := os.Hostname()
	if h.Name != name || h.OS == "" || h.Arch == "" || h.CPUs < 1 || h.MemoryBytes < 1<<26 {
		t.Errorf("got %+v", h)
	}
}
