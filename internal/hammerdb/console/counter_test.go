package console

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/repository"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// screenText collects the output of all goroutines.
type screenText struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screenText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *screenText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// counting returns a console after running the given commands, and its output.
func counting(t *testing.T, folder string, commands ...string) (*Console, *screenText) {
	t.Helper()
	out := &screenText{}
	c, err := New(Config{
		Resolver: resolver, Out: out, Version: "v0.test", Environ: []string{"TMP=" + folder},
		Runner: engine.Local{Catalog: edition.Catalog},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, line := range commands {
		call(t, c, line)
	}
	return c, out
}

// matches compares the output with a pattern for each line.
func matches(t *testing.T, got string, want ...string) {
	t.Helper()
	if !regexp.MustCompile("^" + strings.Join(want, "\n") + "\n$").MatchString(got) {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestCounterOfADatabaseWithoutACountCountsTheVirtualUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		c, out := counting(t, folder, "dbset db sqlite", "tcset refreshrate 5", "tcset logtotemp 1", "tcset timestamps 1")
		out.all.Reset()
		call(t, c, "tcstatus")
		call(t, c, "tcstart")
		call(t, c, "tcstart")
		second := meter.NewSummary(2)
		second.Kinds[0].Done, second.Kinds[1].RolledBack = 9, 1
		for range 3 {
			c.counter.watch(job.Event{Second: &job.Second{Measured: second.Coded()}})
		}
		time.Sleep(11 * time.Second) // of synctest's clock: two readings; the first one includes the 30 transactions
		synctest.Wait()
		call(t, c, "tcstop")
		call(t, c, "tcstop")
		log := filepath.Join(folder, "hdbtcount.log")
		id := "tid0x[0-9a-f]{12}"
		matches(t, out.String(),
			"Transaction Counter is not running",
			"SQLite keeps no count of transactions: the counter shows those of this console's Virtual Users",
			"Transaction Counter Started",
			"Transaction Counter logging activated to "+log,
			"0 SQLite tpm",
			"Transaction Counter thread already running with threadid:"+id,
			"360 SQLite tpm",
			"0 SQLite tpm",
			"Transaction Counter thread running with threadid:"+id,
			"Stopping Transaction Counter",
			"Closed Transaction Counter Log",
			"Transaction Counter is not running",
		)
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		at := ` @ \w{3} \w{3} \d\d \d\d:\d\d:\d\d \w+ \d{4}`
		matches(t, string(text),
			"Hammerdb Transaction Counter Log"+at, regexp.QuoteMeta(separator),
			"0 SQLite tpm"+at, "360 SQLite tpm"+at, "0 SQLite tpm"+at)
		if c.Failure() != nil {
			t.Errorf("got failure %v, want none", c.Failure())
		}
	})
}

// For TPROC-H, the counter shows queries per hour.
func TestCounterOfQueriesCountsThemByTheHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, out := counting(t, t.TempDir(), "dbset db sqlite", "dbset bm TPC-H", "tcset refreshrate 5")
		out.all.Reset()
		call(t, c, "tcstart")
		second := meter.NewSummary(1)
		second.Kinds[0].Done = 10
		c.counter.watch(job.Event{Second: &job.Second{Measured: second.Coded()}})
		time.Sleep(6 * time.Second) // of synctest's clock
		synctest.Wait()
		call(t, c, "tcstop")
		matches(t, out.String(),
			"SQLite keeps no count of transactions: the counter shows those of this console's Virtual Users",
			"Transaction Counter Started",
			"0 SQLite qph",
			"7200 SQLite qph",
			"Transaction Counter thread running with threadid:tid0x[0-9a-f]{12}",
			"Stopping Transaction Counter",
		)
	})
}

func TestCounterShowsWhatAnyoneCommitsOnTheServer(t *testing.T) {
	for _, tt := range []struct{ database, prefix, title string }{
		{"postgresql", "pg", "PostgreSQL"}, {"mariadb", "maria", "MariaDB"},
	} {
		t.Run(tt.database, func(t *testing.T) {
			values := testserver.Open(t, tt.database).Values()
			c, out := counting(t, t.TempDir(), "dbset db "+tt.prefix, "tcset refreshrate 1")
			for name, value := range values {
				for _, section := range []string{"connection", "tpcc"} {
					// Set fails for the section that does not have the key.
					_, _ = c.book.Set(section, c.book.Key(name), value)
				}
			}
			if tt.prefix == "pg" { // an existing database, because the counter needs no schema
				if _, err := c.book.Set("tpcc", "pg_dbase", "postgres"); err != nil {
					t.Fatal(err)
				}
			}
			call(t, c, "tcstart")
			if err := c.Failure(); err != nil {
				t.Fatal(err)
			}
			counted := regexp.MustCompile(`\n[1-9]\d* ` + tt.title + ` tpm\n`)
			order, err := c.order(c.spec(job.Check))
			if err != nil {
				t.Fatal(err)
			}
			commitUntil(t, order.Plan, out, counted)
			if tt.prefix == "pg" {
				endSessions(t, order.Plan)
				again := regexp.MustCompile(`Transaction Counter Error: .*\n0 PostgreSQL tpm\n(0 PostgreSQL tpm\n)*[1-9]\d* PostgreSQL tpm\n`)
				commitUntil(t, order.Plan, out, again)
			}
			call(t, c, "tcstop")
			if !strings.Contains(out.String(), "Transaction Counter Started\n0 "+tt.title+" tpm\n") {
				t.Errorf("got\n%s\nwant 0 first", out)
			}
		})
	}
}

func TestCounterThatCannotConnectFailsAtOnce(t *testing.T) {
	c, out := counting(t, t.TempDir(), "dbset db pg", "diset connection pg_host 127.0.0.1", "diset connection pg_port 1")
	out.all.Reset()
	call(t, c, "tcstart")
	call(t, c, "tcstatus")
	matches(t, out.String(),
		"Transaction Counter Failed to Start",
		"Transaction Counter Error: connect to PostgreSQL, database tpcc on 127.0.0.1:1, .*check pg_host and pg_port.*",
		"Transaction Counter is not running")
	if got := job.ExitOf(c.Failure()); got != job.ExitConnect {
		t.Errorf("got exit %d, want %d", got, job.ExitConnect)
	}
}

// endSessions terminates all of Sledge's sessions on the server except its own, like a restart.
func endSessions(t *testing.T, plan plan.Plan) {
	t.Helper()
	session, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, database.Observer)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ended, err := session.Query(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE pid <> pg_backend_pid() AND application_name = 'sledge'`, 0)
	if err != nil || len(ended.Rows) == 0 {
		t.Fatalf("got %v and error %v, want the session of the counter ended", ended.Rows, err)
	}
}

// commitUntil commits transactions until the output matches, for at most a minute.
func commitUntil(t *testing.T, plan plan.Plan, out *screenText, want *regexp.Regexp) {
	t.Helper()
	session, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, database.Observer)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for end := time.Now().Add(time.Minute); !want.MatchString(out.String()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got\n%s\nin a minute, want %v", out, want)
		}
		for _, statement := range []string{"BEGIN", "SELECT 1", "COMMIT"} {
			if _, err := session.Query(t.Context(), statement, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// steadyWork is a job.Runner whose virtual users end ten transactions every half second for a
// little more than three seconds, while the server's count reports another rate.
type steadyWork struct{}

func (steadyWork) Do(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
	second, other := meter.NewSummary(len(jobKinds)), 9.0
	second.Kinds[0].Done = 10
	time.Sleep(100 * time.Millisecond)
	for n := range 6 {
		for _, w := range control.Watchers {
			offset := time.Duration(n+1) * time.Second / 2
			w.Watch(job.Event{At: time.Now(), Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: offset.Seconds(), ServerTPM: &other}, Measured: second.Coded()}})
		}
		time.Sleep(time.Second / 2)
	}
	return job.Result{}, nil
}

func TestCounter_StoresItsReadingsWithTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		c, out := counting(t, folder)
		c.Runner = steadyWork{}
		c.OpenStore = func(string) (*repository.Store, error) { return repository.Open(":memory:") }
		for _, line := range []string{"dbset db sqlite", "tcset refreshrate 1", "diset tpcc sqlite_driver timed", "loadscript", "vuset vu 1", "tcstart"} {
			call(t, c, line)
		}
		out.all.Reset()
		call(t, c, "vurun")
		printed := regexp.MustCompile(`(?m)^\d+ SQLite tpm$`).FindAllString(out.String(), -1)
		want := []string{"1200 SQLite tpm", "1200 SQLite tpm", "1200 SQLite tpm"}
		if !slices.Equal(printed, want) {
			t.Errorf("got %q printed during the run, want %q", printed, want)
		}
		call(t, c, "dbset db pg")
		call(t, c, "diset tpcc pg_driver timed")
		call(t, c, "loadscript")
		call(t, c, "vurun") // on a database other than the counter's
		call(t, c, "tcstop")
		call(t, c, "vurun")
		call(t, c, "jobs format JSON")
		var ids []string
		listed, err := c.Call(t.Context(), Call{Name: "jobs", Args: []string{"joblist"}})
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range strings.Fields(listed) {
			ids = append(ids, id)
			out.all.Reset()
			call(t, c, "jobs "+id+" tcount")
			stamp := `"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"`
			if i == 0 {
				matches(t, out.String(), `\{`, `  "SQLite tpm": \{`, `    `+stamp+`: "1200",`, `    `+stamp+`: "1200",`, `    `+stamp+`: "1200"`, `  \}`, `\}`)
				continue
			}
			if got := out.String(); !strings.Contains(got, `"PostgreSQL tpm"`) || !strings.Contains(got, `: "9"`) || strings.Contains(got, "1200") {
				t.Errorf("job %d: got\n%s\nwant the rates that the run sampled", i, got)
			}
		}
		if len(ids) != 3 {
			t.Fatalf("got the jobs %v, want 3", ids)
		}
		call(t, c, "jobs "+ids[0]+" save")
		saved, err := os.ReadFile(filepath.Join(folder, "hdb_"+ids[0]+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(saved), `"value": "1200"`); got != 3 {
			t.Errorf("got %d counts of 1200 in the saved report, want 3", got)
		}
	})
}
