package tproch_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/testserver"
)

// killable is the environment variable with the spec of a run. If it is set, the test binary does
// this run instead of its tests, so that a test can kill the process.
const killable = "SLEDGE_TEST_TPROCH_RUN"

func TestMain(m *testing.M) {
	text, is := os.LookupEnv(killable)
	if !is {
		testserver.Main(m)
		return
	}
	var spec job.Spec
	err := json.Unmarshal([]byte(text), &spec)
	if err == nil {
		_, err = local.Do(context.Background(), spec, job.Control{})
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

var local = engine.Local{Catalog: edition.Catalog, Version: "test"}

// refreshed is a schema for tests of the refresh functions.
type refreshed struct {
	*testing.T
	database string
	options  option.Values
}

// newRefreshed builds a schema of scale 0.01, whose refresh sets have 15 orders.
func newRefreshed(t *testing.T, name string) refreshed {
	t.Helper()
	d, err := edition.Catalog.Database(name)
	if err != nil {
		t.Fatal(err)
	}
	r := refreshed{t, name, workloadtest.Server(t, d, "")}
	r.options["scale_factor"] = "0.01"
	r.must(job.Build, nil)
	t.Cleanup(func() { r.must(job.Delete, nil) })
	return r
}

func (r refreshed) spec(action job.Action, users int, values option.Values) job.Spec {
	all := r.options.Clone()
	for name, value := range values {
		all[name] = value
	}
	return job.Spec{Action: action, Database: r.database, Workload: "tproch", Seed: 1, Users: users, Options: all}
}

func (r refreshed) must(action job.Action, values option.Values) job.Result {
	r.Helper()
	result, err := local.Do(context.WithoutCancel(r.Context()), r.spec(action, 1, values), job.Control{})
	starved := job.ExitOf(err) == job.ExitInvalid && strings.Contains(err.Error(), "this client did not run for") // the machine is busy with other tests
	if err != nil && !starved {
		r.Fatalf("%s: %v %+v", action, err, result.Findings)
	}
	return result
}

// session connects to the database.
func (r refreshed) session() database.Session {
	r.Helper()
	p, err := local.Plan(r.spec(job.Check, 1, nil))
	if err != nil {
		r.Fatal(err)
	}
	s, err := p.Database.Sessions.Connect(r.Context(), p.Connection, database.Owner)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { s.Close() })
	return s
}

// done reads how many orders a refresh function has processed.
func (r refreshed) done(s database.Session, function string) int {
	t, err := s.Query(r.Context(), "SELECT orders_done FROM sledge_refresh WHERE function_name = '"+function+"'", 1)
	if err != nil || len(t.Rows) == 0 {
		return 0 // it has not begun
	}
	n, err := strconv.Atoi(t.Rows[0][0])
	if err != nil {
		r.Fatal(err)
	}
	return n
}

// await waits until a function has processed a number of orders.
func (r refreshed) await(s database.Session, function string, orders int) {
	r.Helper()
	for end := time.Now().Add(time.Minute); r.done(s, function) < orders; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.Fatalf("no %d orders were refreshed in a minute", orders)
		}
	}
}

// TestRefreshes_AreResumed uses a server database and a file database.
func TestRefreshes_AreResumed(t *testing.T) {
	for _, name := range []string{"postgresql", "sqlite"} {
		t.Run(name, func(t *testing.T) {
			r := newRefreshed(t, name)
			r.goesOnAfterAKill()
			r.leavesOffWhenStopped()
			r.failsBesideAnother()
			if name == "postgresql" {
				r.missesRights()
			}
		})
	}
}

// missesRights revokes rights and expects the run to be refused before its users connect.
func (r refreshed) missesRights() {
	s := r.session()
	for _, tt := range []struct {
		right   string
		refresh string
		refused bool
	}{
		{"DELETE ON orders", "true", true},
		{"DELETE ON orders", "false", false},
		{"SELECT ON nation", "false", true},
	} {
		if err := s.Exec(r.Context(), "REVOKE "+tt.right+" FROM CURRENT_USER"); err != nil {
			r.Fatal(err)
		}
		connected := false
		watch := watching(func(e job.Event) { connected = connected || e.Phase != nil })
		_, err := local.Do(r.Context(), r.spec(job.Run, 1, option.Values{"refresh": tt.refresh}), job.Control{Watchers: []job.Watcher{watch}})
		if refused := job.ExitOf(err) == job.ExitUsage && strings.Contains(err.Error(), tt.right[len("DELETE ON "):]); refused != tt.refused || connected == refused {
			r.Errorf("without %s, refresh=%s: got exit code %d, %v", tt.right, tt.refresh, job.ExitOf(err), err)
		}
		if err := s.Exec(r.Context(), "GRANT "+tt.right+" TO CURRENT_USER"); err != nil {
			r.Fatal(err)
		}
	}
}

// watching is a job.Watcher of one function.
type watching func(job.Event)

func (w watching) Watch(e job.Event) { w(e) }

// slow makes a run refresh orders one by one, so that a test can interrupt it in the middle of a
// set.
var slow = option.Values{"test": "throughput", "refresh_delay": "30"}

// goesOnAfterAKill kills a run and expects the next one to continue at the same order.
func (r refreshed) goesOnAfterAKill() {
	s := r.session()
	for _, tt := range []struct {
		function string
		orders   int // processed when the run is killed
		want     []int64
	}{
		{"new sales", 4, []int64{1, 1, 2, 2}},
		{"old sales", 33, []int64{3, 4, 4}},
	} {
		spec, err := json.Marshal(r.spec(job.Run, 2, slow))
		if err != nil {
			r.Fatal(err)
		}
		run := exec.Command(os.Args[0])
		run.Env = append(os.Environ(), killable+"="+string(spec))
		run.Dir = filepath.Dir(os.Args[0])
		if err := run.Start(); err != nil {
			r.Fatal(err)
		}
		r.await(s, tt.function, tt.orders)
		_ = run.Process.Kill()
		_ = run.Wait()
		if n := r.done(s, tt.function); n%15 == 0 {
			r.Fatalf("%d orders were refreshed when the run was killed, want a partial set", n)
		}
		r.must(job.Check, nil)
		result := r.must(job.Run, option.Values{"refresh": "true"})
		r.must(job.Check, nil)
		var sets []int64
		for _, span := range result.Spans {
			if strings.HasSuffix(span.Kind, "refresh") {
				sets = append(sets, int64(span.Set))
			}
		}
		if !slices.Equal(sets, tt.want) {
			r.Errorf("killed in %s, the next run refreshed the sets %v, want %v", tt.function, sets, tt.want)
		}
		if _, has := result.Metric("power"); !has {
			r.Errorf("the run after the kill has no power: %v", result.Remarks)
		}
	}
}

// leavesOffWhenStopped stops a run in the middle of a set and expects it to end within the set.
func (r refreshed) leavesOffWhenStopped() {
	s := r.session()
	stop := make(chan struct{})
	go func() {
		r.await(s, "new sales", 63)
		close(stop)
	}()
	began := time.Now()
	values := slow.Clone()
	values["refresh_delay"] = "100"
	result, err := local.Do(r.Context(), r.spec(job.Run, 2, values), job.Control{Stop: stop})
	if result.Status != job.Partial || job.ExitOf(err) != job.ExitStopped {
		r.Errorf("got %s, %v, want a partial result", result.Status, err)
	}
	if n := r.done(s, "new sales"); n < 63 || n >= 75 || time.Since(began) > 15*time.Second {
		r.Errorf("%d orders were inserted in %s, want 63 or a few more", n, time.Since(began))
	}
	last := result.Spans[slices.IndexFunc(result.Spans, func(s job.Span) bool { return s.Kind == "new sales refresh" })]
	if last.Outcome != job.SpanCutOff || len(result.Remarks) != 1 || !strings.Contains(result.Remarks[0], "No figure for throughput") {
		r.Errorf("got %+v and %q, want an aborted span, and no figure", last, result.Remarks)
	}
	r.must(job.Check, nil)
}

// failsBesideAnother starts two runs at a time and expects one to fail, and no order to be
// refreshed twice.
func (r refreshed) failsBesideAnother() {
	var runs sync.WaitGroup
	var results [2]job.Result
	for i := range results {
		runs.Go(func() { results[i], _ = local.Do(r.Context(), r.spec(job.Run, 2, slow), job.Control{}) })
	}
	runs.Wait()
	told := slices.ContainsFunc(slices.Concat(results[0].Spans, results[1].Spans), func(s job.Span) bool {
		return s.Outcome == job.SpanFailed && strings.Contains(s.Message, "another run has refreshed the schema")
	})
	if !told {
		r.Errorf("got %+v, want a refresh that fails because of the other run", results)
	}
	r.must(job.Check, nil)
}

// A check names missing and excess rows, and a run refuses to refresh a schema that another program
// has changed.
func TestCheckCountsOrdersAndLines(t *testing.T) {
	r := newRefreshed(t, "sqlite")
	s := r.session()
	_, err := local.Do(r.Context(), r.spec(job.Run, 2, option.Values{"test": "power"}), job.Control{})
	if there, e := s.Query(t.Context(), "SELECT * FROM sledge_refresh", 1); e == nil || job.ExitOf(err) != job.ExitUsage {
		t.Errorf("got %v and the table %v, want a usage error and nothing changed", err, there)
	}
	fails := func(want [][]string) {
		t.Helper()
		result, err := local.Do(r.Context(), r.spec(job.Check, 1, nil), job.Control{})
		i := slices.IndexFunc(result.Findings, func(f job.Finding) bool { return f.Rule == "rows" })
		if err == nil || i < 0 || !slices.EqualFunc(result.Findings[i].Rows, want, slices.Equal) {
			t.Errorf("got %v, %+v, want %v", err, result.Findings, want)
		}
	}
	for _, statement := range []string{"UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE l_orderkey = 1 AND l_linenumber = 1"} {
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	fails([][]string{{"sum of the lines' quantities", "1536128", "1536127"}})
	for _, statement := range []string{
		"UPDATE lineitem SET l_quantity = l_quantity - 1 WHERE l_orderkey = 1 AND l_linenumber = 1",
		"DELETE FROM lineitem WHERE l_orderkey = 2", "DELETE FROM orders WHERE o_orderkey = 2",
	} {
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	fails([][]string{
		{"orders", "14999", "15000"},
		{"sum of the orders' keys", "449872498", "449872500"},
		{"lines", "60174", "60175"},
		{"sum of the lines' quantities", "1536089", "1536127"},
	})
	_, err = local.Do(r.Context(), r.spec(job.Run, 1, option.Values{"refresh": "true", "stop_on_failure": "true"}), job.Control{})
	if err == nil || !strings.Contains(err.Error(), "there are 14 orders with keys from 1 to 39 instead of 15") {
		t.Errorf("got %v, want the refresh to fail on the order that is gone", err)
	}
}
