package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/cli/site"
	"sledge/internal/counter"
	"sledge/internal/database"
	"sledge/internal/document"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/terminal"
	"sledge/internal/testserver"
)

// screen collects output. It is safe for concurrent use.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(text)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// until waits up to a minute until the output matches.
func (s *screen) until(t *testing.T, want string) {
	t.Helper()
	pattern := regexp.MustCompile(want)
	for end := time.Now().Add(time.Minute); !pattern.MatchString(s.String()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got\n%s\nin a minute, want %s", s, want)
		}
	}
}

// watching is a running sledge watch.
type watching struct {
	out, err *screen
	end      func() job.Exit // presses Ctrl-C
}

// watch starts sledge watch on a server.
func watch(t *testing.T, server *testserver.Server, args ...string) watching {
	t.Helper()
	w, _ := withServer(t)
	w.Args = append([]string{"watch", "--db", server.Database, "--interval", "1"}, args...)
	for name, value := range server.Values() {
		w.Args = append(w.Args, "--set", name+"="+value)
	}
	seen := watching{out: &screen{}, err: &screen{}}
	w.Stdout, w.Stderr = seen.out, seen.err
	done := make(chan job.Exit, 1)
	go func() { done <- Run(context.Background(), w.Program) }()
	seen.end = sync.OnceValue(func() job.Exit {
		w.interrupt()
		return <-done
	})
	t.Cleanup(func() { seen.end() })
	return seen
}

// tprocc returns a plan for a database of that name on a server.
func tprocc(t *testing.T, product string, server map[string]string, name string) plan.Plan {
	t.Helper()
	values := option.Values{"dbname": name}
	maps.Copy(values, server)
	plan, err := engine.Local{Catalog: edition.Catalog}.Plan(job.Spec{Action: job.Build, Database: product, Workload: "tprocc", Options: values})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// connected opens a session that ends with the test.
func connected(t *testing.T, plan plan.Plan, as database.Role) database.Session {
	t.Helper()
	s, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// execAll runs statements in a session.
func execAll(t *testing.T, s database.Session, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// readings parses the lines of JSON.
func readings(t *testing.T, text string) (lines []document.Watch) {
	t.Helper()
	for text := range strings.Lines(text) {
		var line document.Watch
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		validate(t, "watch", text, document.WatchSchema)
		lines = append(lines, line)
	}
	return lines
}

// watch counts every transaction of another program. Because the tables exist, it also shows the
// workload's own count.
func TestWatch_CountsCommitsOfOtherPrograms(t *testing.T) {
	for _, name := range []string{"postgresql", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			server := testserver.Open(t, name)
			plan := tprocc(t, name, server.Values(), "sledge_watch")
			if err := plan.Database.Container.Create(t.Context(), plan.Connection, func(job.Event) {}); err != nil {
				t.Fatal(err)
			}
			s := connected(t, plan, database.Owner)
			statements, err := plan.CreateStatements()
			if err != nil {
				t.Fatal(err)
			}
			execAll(t, s, append(statements, `INSERT INTO district (d_w_id, d_id, d_ytd, d_tax, d_next_o_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip)
				VALUES (1, 1, 0, 0, 3001, 'n', 's', 's', 'c', 'st', '123456789')`)...)
			t.Cleanup(func() {
				s.Close()
				drops := []string{"DROP DATABASE sledge_watch"}
				if name == "postgresql" {
					drops = append(drops, "DROP ROLE tpcc")
				}
				query(t, plan.Database, server, drops...)
			})
			seen := watch(t, server, "--json", "--dbname", "sledge_watch")
			seen.out.until(t, `"event":"begun"`)
			const commits, rollbacks = 300, 20
			for range commits {
				execAll(t, s, "BEGIN", "UPDATE district SET d_next_o_id = d_next_o_id + 1", "COMMIT")
			}
			for range rollbacks {
				execAll(t, s, "BEGIN", "UPDATE district SET d_next_o_id = d_next_o_id + 1", "ROLLBACK")
			}
			// A PostgreSQL session reports its statistics at the latest when it ends.
			s.Close()
			const reading = `"event":"reading"`
			already := strings.Count(seen.out.String(), reading) // on a busy machine the commits take longer than some readings
			seen.out.until(t, strings.Repeat(reading+`(.*\n)+.*`, already+2)+reading)
			if code := seen.end(); code != job.OK {
				t.Errorf("got exit code %d, want 0: %s", code, seen.err)
			}
			var counted, probed int64
			var least, most float64
			lines := readings(t, seen.out.String())
			for i, line := range lines {
				if line.Event != "reading" {
					continue
				}
				if line.Elapsed < 0.5 || line.Elapsed > 30 || math.Abs(*line.TPM-float64(*line.Transactions)/line.Elapsed*60) > 1e-6**line.TPM {
					t.Errorf("got %d transactions in %v s at %v a minute, want the rate over the elapsed time", *line.Transactions, line.Elapsed, *line.TPM)
				}
				if passed := line.At.Sub(lines[i-1].At).Seconds(); math.Abs(passed-line.Elapsed) > 1e-6 {
					t.Errorf("got %v s elapsed and %v s between the times of readings, want the same", line.Elapsed, passed)
				}
				if line.Probed == nil || line.Probed.What != "new order" {
					t.Fatalf("got %+v, want the count of new orders, too", line)
				}
				counted, probed = counted+*line.Transactions, probed+line.Probed.Count
				most = max(most, *line.TPM)
				if least = min(least, *line.TPM); counted == *line.Transactions {
					least = *line.TPM
				}
			}
			if probed != commits {
				t.Errorf("got %d new orders, want %d: rollbacks do not count", probed, commits)
			}
			own := int64(0)
			if name == "postgresql" { // PostgreSQL also counts watch's own queries and autovacuum
				own = int64(10 * len(lines))
			}
			if counted < commits+rollbacks || counted > commits+rollbacks+own {
				t.Errorf("got %d transactions, want %d and at most %d more", counted, commits+rollbacks, own)
			}
			last := lines[len(lines)-1]
			if s := last.Summary; last.Event != "ended" || s == nil || s.Intervals != len(lines)-2 || s.TPM.Max != most || s.TPM.Min > s.TPM.Mean || s.TPM.Mean > s.TPM.Max ||
				math.Abs(s.TPM.Mean-float64(counted)/s.Measured*60) > 1e-6*s.TPM.Mean || s.TimesAway != 0 {
				t.Errorf("got the summary %+v of %d lines, want the readings summed up", s, len(lines))
			}
		})
	}
}

func TestWatch_ContinuesWhenTheServerIsBack(t *testing.T) {
	for _, name := range []string{"postgresql", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			server := testserver.Open(t, name, testserver.Own())
			where := tprocc(t, name, server.Values(), "postgres")
			log := filepath.Join(t.TempDir(), "tpm.log")
			if err := os.WriteFile(log, []byte("from yesterday\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			seen := watch(t, server, "--dbname", "postgres", "--log", log)
			seen.out.until(t, `TPM\n`)
			server.Stop(testserver.Immediate)
			seen.out.until(t, `the server is away`)
			server.Start()
			seen.out.until(t, `the server is back\n(.*\n)*.* TPM\n`)
			if code := seen.end(); code != job.OK {
				t.Errorf("got exit code %d, want 0: %s", code, seen.err)
			}
			at := `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)  `
			rate := at + ` *[\d,]+ TPM\n`
			target := regexp.QuoteMeta(where.Database.Title + " " + where.Database.Options.Target(where.Connection))
			if name == "mariadb" {
				target += ", all databases"
			}
			logged := at + `watching ` + target + `, every 1 s\n(` + rate + `)+` +
				at + `the server is away, and is read again when it is back: .+\n` + at + `the server is back\n(` + rate + `)+`
			sum := `\nWatched ` + target + ` for .+; the server did not answer for .+ of it, which no rate includes\.\n\n` +
				` +Min +Mean +Max +Intervals\n(-.*\n)?TPM .*\n`
			if !regexp.MustCompile(`^` + logged + sum + `$`).MatchString(seen.out.String()) {
				t.Errorf("got\n%s\nwant\n%s", seen.out, logged+sum)
			}
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			whole, _, _ := strings.Cut(seen.out.String(), "\nWatched ")
			printed, ended := strings.CutPrefix(string(text), "from yesterday\n"+whole)
			if !ended || !regexp.MustCompile(`^`+at+`ended: [\d,]+ TPM on average over .+\n$`).MatchString(printed) {
				t.Errorf("got the log\n%s\nwant the earlier content, the printed lines, and the end", text)
			}
		})
	}
}

// Watching a server does not require the name of a database.
func TestWatch_CountsAllDatabasesOfPostgreSQL(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	s := connected(t, tprocc(t, "postgresql", server.Values(), "postgres"), database.Observer)
	seen := watch(t, server, "--dbname", "sledge_nosuch", "--all-databases", "--json")
	seen.out.until(t, `"event":"begun"`)
	const commits = 200
	for range commits {
		execAll(t, s, "BEGIN", "SELECT 1", "COMMIT")
	}
	s.Close()
	seen.out.until(t, `"event":"reading"(.*\n)+.*"event":"reading"(.*\n)+.*"event":"reading"`)
	if code := seen.end(); code != job.OK {
		t.Errorf("got exit code %d, want 0: %s", code, seen.err)
	}
	var counted int64
	for _, line := range readings(t, seen.out.String()) {
		if line.Transactions != nil {
			counted += *line.Transactions
		}
		if !line.AllDatabases || line.Probed != nil {
			t.Errorf("got %+v, want all databases, and no schema", line)
		}
	}
	if counted < commits {
		t.Errorf("got %d transactions, want no fewer than %d", counted, commits)
	}
	one := watch(t, server, "--dbname", "sledge_nosuch")
	one.err.until(t, `name the database to watch with --dbname, or watch --all-databases\n$`)
	if code := one.end(); code != job.ExitMissing {
		t.Errorf("got exit code %d, want %d", code, job.ExitMissing)
	}
}

func TestWatch_NamesTheReasonIfItCannotBegin(t *testing.T) {
	w, _ := withServer(t)
	if code := w.run("watch", "--db", "pg", "--host", "127.0.0.1", "--port", "1", "--json"); code != job.ExitConnect {
		t.Errorf("got exit code %d, want %d", code, job.ExitConnect)
	}
	validate(t, "watch", w.out.String(), document.ErrorSchema)
}

// On servers that count queries, watch counts each query, but not its own.
func TestWatch_CountsQueriesPerHour(t *testing.T) {
	for _, name := range []string{"mariadb", "mysql", "postgresql"} {
		t.Run(name, func(t *testing.T) {
			server := testserver.Open(t, name)
			seen := watch(t, server, "--json", "--workload", "tproch", "--all-databases")
			seen.out.until(t, `"event":"begun"`)
			plan := tprocc(t, name, server.Values(), "sledge_queries")
			s := connected(t, plan, database.Admin)
			before := strings.Count(seen.out.String(), "\n")
			seen.out.until(t, fmt.Sprintf(`(.*\n){%d}`, before+2)) // the queries of the login have been counted
			const asked = 500
			for range asked {
				if _, err := s.Query(t.Context(), "SELECT 1", 0); err != nil {
					t.Fatal(err)
				}
			}
			s.Close()
			after := strings.Count(seen.out.String(), "\n")
			seen.out.until(t, fmt.Sprintf(`(.*\n){%d}`, after+2))
			seen.end()
			lines := readings(t, seen.out.String())
			var counted int64
			for i, line := range lines {
				if line.Event != "reading" {
					continue
				}
				if i >= before+1 {
					counted += *line.Transactions
				}
				if line.TPM != nil || line.RateIs != "queries an hour" || math.Abs(*line.Rate-float64(*line.Transactions)/line.Elapsed*3600) > 1e-6**line.Rate {
					t.Errorf("got the line %+v, want a rate of queries an hour", line)
				}
			}
			own := int64(1) // the statement that ends the session
			if name == "postgresql" {
				own = int64(10 * len(lines))
			}
			if counted < asked || counted > asked+own {
				t.Errorf("got %d queries, want %d and at most %d more", counted, asked, own)
			}
			if s := lines[len(lines)-1].Summary; s == nil || s.TPM != nil || s.Rate == nil || s.Rate.Max <= 0 {
				t.Errorf("got the summary %+v, want queries an hour in it", s)
			}
		})
	}
}

func TestWatch_IsABlockOnATerminal(t *testing.T) {
	plan := tprocc(t, "postgresql", nil, "sbtest")
	begun := time.Now()
	counts, err := counter.New(plan)
	if err != nil {
		t.Fatal(err)
	}
	counts.Every, counts.For, counts.Began, counts.Last = 10*time.Second, 5*time.Minute, begun, begun
	w := &site.Watcher{Counter: counts, Program: newWorld(t).Program}
	at := func(after time.Duration) func() time.Time { return func() time.Time { return begun.Add(after) } }
	shows := func(after time.Duration, want ...string) {
		t.Helper()
		for _, columns := range []int{20, 40, 80, 140} {
			text := w.Drawing(at(after))(columns)
			for line := range strings.SplitSeq(text, "\n") {
				if wide := terminal.Width(line); wide > columns {
					t.Errorf("%d columns: a line takes %d: %q", columns, wide, line)
				}
			}
			for _, piece := range want {
				if columns >= 80 && !strings.Contains(text, piece) {
					t.Errorf("%d columns: got no %q in\n%s", columns, piece, text)
				}
			}
		}
	}
	shows(3*time.Second, "PostgreSQL sbtest on localhost:5432   every 10 s", "0:03 of 5:00", "the first rate comes in 0:07")
	w.Counted.Add(engine.Delta{N: 100, In: 10 * time.Second})
	w.Counted.Add(engine.Delta{N: 206, In: 10 * time.Second})
	w.Probed.Add(engine.Delta{N: 90, In: 10 * time.Second})
	w.Rates, w.Last = []float64{600, 1236}, begun.Add(20*time.Second)
	shows(21*time.Second,
		"         _   _   _\n    |    _|  _| |_\n    | , |_   _| |_| TPM\n",
		"min 600   mean 918   max 1,236", "540 new orders a minute", "┤")
	shows(37*time.Second, "the server has not answered for 0:07")
	w.Lost, w.Why = begun.Add(30*time.Second), os.ErrDeadlineExceeded
	shows(37*time.Second, "no answer for 0:07: i/o timeout")
}
