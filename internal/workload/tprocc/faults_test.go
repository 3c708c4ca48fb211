package tprocc_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/database/sqlite"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// bench is a server with a schema of one warehouse, and the means to disturb it during a run.
type bench struct {
	server *testserver.Server
	values option.Values
	local  engine.Local
}

func newBench(t *testing.T) *bench {
	server := testserver.Open(t, "postgresql", oneWarehouse("postgresql"))
	return &bench{server: server, values: server.Values(), local: local}
}

// oneWarehouse requests a server with a schema of one warehouse, which has the same rows for each
// test.
func oneWarehouse(database string) testserver.Option {
	return testserver.Filled("one warehouse", func(s *testserver.Server) error {
		spec := job.Spec{Action: job.Build, Database: database, Workload: "tprocc", Seed: 1, Options: s.Values()}
		_, err := local.Do(context.Background(), spec, job.Control{})
		return err
	})
}

func (b *bench) do(t *testing.T, spec job.Spec, control job.Control, more ...string) (job.Result, error) {
	spec.Database, spec.Workload, spec.Seed = "postgresql", "tprocc", 1
	if spec.Options == nil {
		spec.Options = option.Values{}
	}
	spec.Options = spec.Options.Clone()
	maps.Copy(spec.Options, b.values)
	for i := 0; i+1 < len(more); i += 2 {
		spec.Options[more[i]] = more[i+1]
	}
	return b.local.Do(t.Context(), spec, control)
}

// unhurried makes users pause between transactions, so that a run that waits for an event leaves
// the CPU to other tests.
var unhurried = option.Values{"key_and_think": "true", "keying_time": "0,0,0,0,0", "think_time": "0.02,0.02,0.02,0.02,0.02"}

// unhurriedFor returns the options of an unhurried run without ramp-up.
func unhurriedFor(duration string) option.Values {
	values := option.Values{"rampup": "0s", "duration": duration}
	maps.Copy(values, unhurried)
	return values
}

// mustCheck fails the test unless all rules hold.
func (b *bench) mustCheck(t *testing.T) {
	t.Helper()
	if result, err := b.do(t, job.Spec{Action: job.Check}, job.Control{}); err != nil {
		t.Errorf("%v: %+v", err, result.Findings)
	}
}

// trigger calls do once the measurement has lasted for the time after.
type trigger struct {
	after time.Duration
	do    func()
	once  sync.Once

	done    []int64       // transactions in each second
	covered time.Duration // the time that done covers
}

func (w *trigger) Watch(e job.Event) {
	if e.Second == nil || e.Second.Phase != job.Measure {
		return
	}
	var done int64
	for _, k := range e.Second.Measured.Kinds {
		done += k.Done
	}
	w.done = append(w.done, done)
	w.covered += e.Second.Measured.Elapsed
	if e.Second.Passed() >= w.after && w.do != nil {
		w.once.Do(func() { go w.do() })
	}
}

func TestFrozenServer_ShowsInEveryFigure(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const frozen = 3 * time.Second
	freeze := &trigger{after: 2 * time.Second, do: func() {
		b.freeze(frozen)
	}}
	// One transaction of each user waits for the whole freeze. To affect p99.9 these must be more
	// than one in a thousand, so the test has many users that think between transactions.
	result, err := b.do(t, job.Spec{Action: job.Run, Users: 50}, job.Control{Watchers: []job.Watcher{freeze}},
		"rampup", "1s", "duration", "8s", "key_and_think", "true",
		"keying_time", "0,0,0,0,0", "think_time", "0.5,0.5,0.5,0.5,0.5")
	if err != nil {
		t.Fatal(err)
	}
	all := result.Summary.All()
	least := int64(frozen) * 9 / 10
	if got := all.Response.Max(); got < least {
		t.Errorf("the longest response time is %v, want at least %v", time.Duration(got), time.Duration(least))
	}
	if got := all.Response.ValueAtQuantile(99.9); got < least {
		t.Errorf("p99.9 of the response time is %v, want at least %v", time.Duration(got), time.Duration(least))
	}
	if got := all.Service.Max(); got < least {
		t.Errorf("the longest service time is %v, want at least %v", time.Duration(got), time.Duration(least))
	}
	// A busy machine reads the last answers from before the freeze late, which shortens the stall.
	if g := result.LongestGap; g == nil || g.Seconds < 0.8*frozen.Seconds() || result.Standstills == 0 {
		t.Errorf("the longest stall is %+v, of %d stalls, want one of at least %v", g, result.Standstills, frozen*8/10)
	}
	gap := 0
	for _, n := range freeze.done {
		if n == 0 {
			gap++
		}
	}
	// A busy machine may report two seconds as one interval, but must not omit a second.
	if gap < 1 || freeze.covered < 8*time.Second {
		t.Errorf("the series is %v transactions in each second, %v together, want 8 seconds with a gap", freeze.done, freeze.covered)
	}
}

func TestLock_ThatOutlastsTheRunIsInItsFigures(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	holder := b.connectAs(t, database.Owner)
	defer holder.Close()
	// lock blocks every transaction that writes, until release.
	lock := func() {
		for _, statement := range []string{"BEGIN", "UPDATE district SET d_ytd = d_ytd", "UPDATE warehouse SET w_ytd = w_ytd"} {
			if err := holder.Exec(context.Background(), statement); err != nil {
				t.Error(err)
			}
		}
	}
	release := func() {
		if err := holder.Exec(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
	}
	said := &messages{}
	hold := &trigger{after: time.Second, do: lock}
	said.when("The time is up: ", release)
	result, err := b.do(t, job.Spec{Action: job.Run, Users: 2}, job.Control{Watchers: []job.Watcher{hold, said}},
		"rampup", "0s", "duration", "6s", "mix", "1,1,0,0,0")
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Waiting) != 2 || result.Waiting[0].Seconds < 2 || !strings.HasPrefix(result.Waiting[0].Connection, "process ") || result.Waiting[0].CutOff {
		t.Errorf("got %+v waiting at the end, want both users on their processes for more than 2 s", result.Waiting)
	}
	if g := result.LongestGap; g == nil || g.From+g.Seconds < 5.9 || g.Seconds < 2 {
		t.Errorf("the longest gap is %+v, want one up to the end", g)
	}
	if !said.has("No transaction has ended for") {
		t.Errorf("got %q, want a line about the stall", said.all)
	}
	sessionsNameTheirTransactions(t, result.Activity)
	b.mustCheck(t)

	// Users that have done their iterations are idle, so the server would not include their last
	// transactions in its statistics for seconds.
	result, err = b.do(t, job.Spec{Action: job.Run, Users: 2}, job.Control{}, "rampup", "0s", "duration", "1m", "iterations", "800")
	if err != nil {
		t.Fatal(err)
	}
	// Some transactions may have ended before the measurement began.
	if a := result.CounterAgreement; a == nil || !a.Trusted() || a.Client < 800 || a.Server < a.Client {
		t.Errorf("got %+v, want the server's count of up to 1,600 transactions to agree", a)
	}
}

// sessionsNameTheirTransactions checks the sampled sessions of two users that most of the time wait for a lock, which
// a session of no user holds. The text of a call names its routine, so it tells the transaction independently.
func sessionsNameTheirTransactions(t *testing.T, a *job.Activity) {
	t.Helper()
	if a == nil || a.Joined == nil || a.Joined.None > 2 || a.Joined.Foreign == 0 || a.Joined.Likely > a.Joined.Certain {
		t.Fatalf("got %+v, want the transactions of nearly all sessions", a)
	}
	routines := map[string]string{"new order": "neword(", "payment": "payment("}
	var waited, held, wrong int64
	for _, s := range a.Shares {
		if strings.HasPrefix(s.Blocker, "session ") {
			held += s.Sessions
		}
		routine := routines[s.Transaction]
		switch {
		case s.Transaction != "" && !strings.Contains(s.Statement, routine), s.Transaction == "" && strings.Contains(s.Statement, "neword("):
			t.Logf("got %+v, not the transaction of its statement", s)
			wrong += s.Sessions
		case s.Transaction != "" && s.Class == "lock":
			waited += s.Sessions
		case s.Program != "" && !strings.HasPrefix(s.Statement, "UPDATE ") && s.Statement != "BEGIN":
			t.Errorf("got %+v, want only the session that holds the lock to be foreign", s)
		}
	}
	if wrong > 1 { // a busy machine may let a transaction begin between two steps of a sample
		t.Errorf("%d sessions in %d samples do not have the transaction of their statement", wrong, a.Samples)
	}
	if mean := float64(waited) / float64(a.Samples); mean < 1 || mean > 2 || 3*held < waited {
		t.Errorf("got %.2f sessions that wait for locks, want nearly two for five of six seconds, and who holds them: %+v", mean, a.Shares)
	}
}

// messages records a job's messages.
type messages struct {
	all    []string
	awaits string
	do     func()
}

// when calls do after the first message that begins with prefix.
func (l *messages) when(prefix string, do func()) { l.awaits, l.do = prefix, do }

func (l *messages) Watch(e job.Event) {
	if e.Message == "" {
		return
	}
	l.all = append(l.all, e.Message)
	if l.do != nil && strings.HasPrefix(e.Message, l.awaits) {
		l.do()
		l.do = nil
	}
}

func (l *messages) has(prefix string) bool {
	return slices.ContainsFunc(l.all, func(line string) bool { return strings.HasPrefix(line, prefix) })
}

func TestTerminatedUser_EndsTheRunWithItsReason(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terminate := &trigger{after: time.Second, do: func() {
		s := b.connect(t)
		defer s.Close()
		for {
			ended, err := s.Query(context.Background(),
				"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE '%neword(%' AND pid <> pg_backend_pid() LIMIT 1", 0)
			if err != nil {
				t.Error(err)
			}
			if err != nil || len(ended.Rows) > 0 {
				return
			}
		}
	}}
	start := time.Now()
	result, err := b.do(t, job.Spec{Action: job.Run, Users: 4, Options: unhurried}, job.Control{Watchers: []job.Watcher{terminate}}, "rampup", "0s", "duration", "5m")
	if err == nil || job.ExitOf(err) != job.ExitAborted || !strings.Contains(err.Error(), "virtual user") || !strings.Contains(err.Error(), "57P01") {
		t.Errorf("got %v with exit code %d, want the virtual user and the server's reason, with %d", err, job.ExitOf(err), job.ExitAborted)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("the run took %v to end", took)
	}
	if all := result.Summary.All(); result.Status != job.Failed || all.Failed[meter.Connection] == 0 || all.Done == 0 {
		t.Errorf("got status %s, failures %v and %d done", result.Status, all.Failed, all.Done)
	}
	b.mustCheck(t)
}

func TestRun_LosesNothingWhenTheServerCrashes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	stopped := make(chan struct{})
	crash := &trigger{after: time.Second, do: func() { b.server.Stop(testserver.Immediate); close(stopped) }}
	_, err := b.do(t, job.Spec{Action: job.Run, Users: 4}, job.Control{Watchers: []job.Watcher{crash}}, "rampup", "0s", "duration", "5m")
	if err == nil || job.ExitOf(err) != job.ExitAborted {
		t.Errorf("got %v with exit code %d, want an error with %d", err, job.ExitOf(err), job.ExitAborted)
	}
	<-stopped
	b.server.Start()
	b.mustCheck(t)
}

func TestBuild_IsResumedAfterAnInterruption(t *testing.T) {
	t.Parallel()
	server := testserver.Open(t, "postgresql", testserver.Own())
	b := &bench{server: server, values: server.Values(), local: local}
	ctx, cancel := context.WithCancel(t.Context())
	spec := job.Spec{Action: job.Build, Database: "postgresql", Workload: "tprocc", Seed: 1, Options: b.values}
	// The order lines are loaded first, as one chunk of 300,000 rows. With more rows than that, the
	// build has a finished chunk to resume from.
	_, err := b.local.Do(ctx, spec, job.Control{Watchers: []job.Watcher{whenLoaded{350_000, cancel}}})
	if job.ExitOf(err) != job.ExitStopped || !strings.Contains(err.Error(), "--resume") {
		t.Fatalf("got %v with exit code %d, want advice to --resume and %d", err, job.ExitOf(err), job.ExitStopped)
	}

	for _, tt := range []struct {
		name string
		spec job.Spec
		with []string
		exit job.Exit
	}{
		{"is not run", job.Spec{Action: job.Run}, nil, job.ExitExists},
		{"is not checked", job.Spec{Action: job.Check}, nil, job.ExitExists},
		{"is not built over", job.Spec{Action: job.Build}, nil, job.ExitExists},
		{"is not resumed with other rows", job.Spec{Action: job.Build, Resume: true}, []string{"warehouses", "2"}, job.ExitUsage},
	} {
		if _, err := b.do(t, tt.spec, job.Control{}, tt.with...); job.ExitOf(err) != tt.exit {
			t.Errorf("a half-built schema %s: got %v with exit code %d, want %d", tt.name, err, job.ExitOf(err), tt.exit)
		}
	}

	result, err := b.do(t, job.Spec{Action: job.Build, Resume: true}, job.Control{})
	if err != nil {
		t.Fatal(err)
	}
	var rows int64
	for _, l := range result.Loaded {
		rows += l.Rows
	}
	if rows == 0 || rows >= 599_000 {
		t.Errorf("the resumed build loaded %d rows, want some and not all", rows)
	}
	b.mustCheck(t)
	if _, err := b.do(t, job.Spec{Action: job.Build}, job.Control{}); job.ExitOf(err) != job.ExitExists {
		t.Errorf("a build over a schema: got %v with exit code %d, want %d", err, job.ExitOf(err), job.ExitExists)
	}
	if _, err := b.do(t, job.Spec{Action: job.Delete}, job.Control{}); err != nil {
		t.Error(err)
	}
	if _, err := b.do(t, job.Spec{Action: job.Delete}, job.Control{}); err == nil {
		t.Error("deleting a deleted schema succeeded")
	}
}

// whenLoaded calls do when that many rows have been loaded.
type whenLoaded struct {
	rows int64
	do   func()
}

func (w whenLoaded) Watch(e job.Event) {
	if e.Progress != nil && e.Progress.Done >= w.rows {
		w.do()
	}
}

func TestBuild_ResumesAfterTheServerWasKilled(t *testing.T) {
	t.Parallel()
	server := testserver.Open(t, "postgresql", testserver.Own())
	b := &bench{server: server, values: server.Values(), local: local}
	var once sync.Once
	stopped := make(chan struct{})
	stop := func() { server.Stop(testserver.Immediate); close(stopped) }
	kill := whenLoaded{200_000, func() { once.Do(func() { go stop() }) }}
	_, err := b.do(t, job.Spec{Action: job.Build}, job.Control{Watchers: []job.Watcher{kill}})
	if err == nil || job.ExitOf(err) != job.ExitAborted || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("got %v with exit code %d, want advice to --resume and %d", err, job.ExitOf(err), job.ExitAborted)
	}
	<-stopped
	if _, err := b.do(t, job.Spec{Action: job.Build, Resume: true}, job.Control{}); job.ExitOf(err) != job.ExitConnect {
		t.Errorf("resume on a server that is down: got %v with exit code %d, want %d", err, job.ExitOf(err), job.ExitConnect)
	}
	server.Start()
	if _, err := b.do(t, job.Spec{Action: job.Build, Resume: true}, job.Control{}); err != nil {
		t.Fatal(err)
	}
	b.mustCheck(t)
}

// TestBuild_EndsWhenItsClaimIsLost terminates the session that holds the build's claim on the server.
// Without the claim another job may begin, so the build must stop.
func TestBuild_EndsWhenItsClaimIsLost(t *testing.T) {
	for name, holder := range map[string]string{
		"postgresql": "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 1936483684 AND objid = 1 AND mode = 'ExclusiveLock'",
		"mariadb":    "SELECT IS_USED_LOCK(CONCAT('sledge.build.', MD5('tpcc')))",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := job.Spec{Action: job.Build, Database: name, Workload: "tprocc", Seed: 1, Options: maps.Clone(testserver.Open(t, name, testserver.Own()).Values())}
			plan, err := local.Plan(spec)
			if err != nil {
				t.Fatal(err)
			}
			end := func() {
				s, err := plan.Database.Sessions.Connect(context.Background(), plan.Connection, database.Admin)
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				found, err := s.Query(context.Background(), holder, 1)
				if err == nil && len(found.Rows) == 1 {
					statement := map[string]string{"postgresql": "SELECT pg_terminate_backend(%s)", "mariadb": "KILL %s"}[name]
					_, err = s.Query(context.Background(), fmt.Sprintf(statement, found.Rows[0][0]), 1)
				}
				if err != nil || len(found.Rows) != 1 {
					t.Errorf("end the session of the claim, of %v: %v", found.Rows, err)
				}
			}
			var once sync.Once
			_, err = local.Do(t.Context(), spec, job.Control{Watchers: []job.Watcher{whenLoaded{50_000, func() { once.Do(end) }}}})
			if err == nil || job.ExitOf(err) != job.ExitAborted || !strings.Contains(err.Error(), "the session that claimed") || !strings.Contains(err.Error(), "--resume") {
				t.Errorf("got %v with exit code %d, want an error about the claim and %d", err, job.ExitOf(err), job.ExitAborted)
			}
			spec.Resume = true
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if _, err := local.Do(ctx, spec, job.Control{Watchers: []job.Watcher{whenLoaded{1, stop}}}); job.ExitOf(err) != job.ExitStopped {
				t.Errorf("the build is not resumed: %v", err)
			}
		})
	}
}

// freeze stops the server's processes for that long, including the time that stopping them takes.
func (b *bench) freeze(frozen time.Duration) {
	thaw := time.After(frozen)
	b.server.Freeze()
	<-thaw
	b.server.Thaw()
}

// connect opens a session as the superuser.
func (b *bench) connect(t *testing.T) database.Session { return b.connectAs(t, database.Admin) }

func (b *bench) connectAs(t *testing.T, as database.Role) database.Session {
	plan, err := b.local.Plan(job.Spec{Database: "postgresql", Workload: "tprocc", Options: b.values})
	if err != nil {
		t.Fatal(err)
	}
	s, err := postgresql.Database.Sessions.Connect(context.Background(), plan.Connection, as)
	if err != nil {
		t.Fatal(fmt.Errorf("connect for the test: %w", err))
	}
	return s
}

func TestBuild_InAFileRefusesASecondOne(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "test.db")
	spec := job.Spec{Action: job.Build, Database: "sqlite", Workload: "tprocc", Options: option.Values{"file": file}}
	plan, err := local.Plan(spec)
	if err != nil {
		t.Fatal(err)
	}
	release, err := sqlite.Database.Container.Claim(t.Context(), plan.Connection, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := local.Do(t.Context(), spec, job.Control{}); job.ExitOf(err) != job.ExitExists || !strings.Contains(err.Error(), "another build or a deletion is in progress in ") {
		t.Errorf("got %v with exit code %d, want that another build may be running and %d", err, job.ExitOf(err), job.ExitExists)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if _, err := local.Do(ctx, spec, job.Control{Watchers: []job.Watcher{whenLoaded{1, stop}}}); job.ExitOf(err) != job.ExitStopped {
		t.Errorf("when the claim was given back: got %v, want a build that is stopped while it loads rows", err)
	}
	if _, err := os.Stat(file + "-build"); err == nil {
		t.Error("the file of the claim was left behind")
	}
}
