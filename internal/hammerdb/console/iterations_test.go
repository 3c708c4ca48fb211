package console

import (
	"context"
	"strings"
	"sync"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/settings"
	"sledge/internal/testserver"
)

// cutter runs jobs and terminates all sessions of virtual users in the first measured second of
// each job.
type cutter struct {
	engine.Local
	t       *testing.T
	results []job.Result
	errs    []error
}

func (c *cutter) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	p, err := c.Plan(spec)
	if err != nil {
		return job.Result{}, err
	}
	var once sync.Once
	control.Watchers = append(control.Watchers, watching(func(e job.Event) {
		if e.Second != nil && e.Second.Phase == job.Measure {
			once.Do(func() { c.cut(p) })
		}
	}))
	result, err := c.DoPlan(ctx, p, control)
	c.results, c.errs = append(c.results, result), append(c.errs, err)
	return result, err
}

// cut terminates the sessions of virtual users, which it recognizes by their last statement.
func (c *cutter) cut(p plan.Plan) {
	s, err := p.Database.Sessions.Connect(context.Background(), p.Connection, database.Observer)
	if err != nil {
		c.t.Error(err)
		return
	}
	defer s.Close()
	// Between two transactions the last statement of a session may be another one.
	for range 1000 {
		ended, err := s.Query(context.Background(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND query ~ '(neword|payment|delivery|ostat|slev) *\(' AND pid <> pg_backend_pid()`, 0)
		if err != nil {
			c.t.Error(err)
			return
		}
		if len(ended.Rows) > 0 {
			return
		}
	}
	c.t.Error("no session of a virtual user was seen")
}

type watching func(job.Event)

func (w watching) Watch(e job.Event) { w(e) }

// HammerDB survives a failover by iterations: a virtual user that has lost its connection continues
// with the next iteration after the repeat delay. In the last iteration it ends.
func TestVirtualUser_ContinuesInItsNextIteration(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	values := server.Values()
	runner := &cutter{Local: engine.Local{Catalog: edition.Catalog, Version: "test"}, t: t}
	out := &screenText{}
	c, err := New(Config{
		Resolver: settings.Resolver{Catalog: catalog.Catalog{Databases: []*database.Database{postgresql.Database}, Workloads: edition.Catalog.Workloads}},
		Out:      out, Runner: runner,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, line := range []string{
		"dbset db pg", "giset commandline jobs_disable 1",
		"diset connection pg_host " + values["host"], "diset connection pg_port " + values["port"], "diset connection pg_sslmode disable",
		"diset tpcc pg_superuserpass " + values["superuser_password"],
		"diset tpcc pg_user iterations", "diset tpcc pg_pass iterations", "diset tpcc pg_dbase iterations",
		"diset tpcc pg_count_ware 1", "buildschema", "vudestroy",
		"diset tpcc pg_driver timed", "diset tpcc pg_rampup 0", "diset tpcc pg_duration 3s",
		"vuset vu 2", "vuset delay 0", "vuset iterations 2", "vuset repeat 100",
		"vurun", "vudestroy",
	} {
		call(t, c, line)
	}
	defer call(t, c, "deleteschema")
	if len(runner.results) != 3 { // the first is the build
		t.Fatalf("got %d jobs, want a build and two runs, in\n%s", len(runner.results), out)
	}
	first, last := runner.results[1], runner.errs[2]
	if runner.errs[1] != nil || first.Status != job.Succeeded || len(first.Outages) == 0 || first.Elapsed < 2.9 {
		t.Errorf("with an iteration left: got %v, status %s, outages %+v, want the run to outlive the loss", runner.errs[1], first.Status, first.Outages)
	}
	if job.ExitOf(last) != job.ExitAborted || !strings.Contains(last.Error(), "lost") {
		t.Errorf("in the last iteration: got %v, want the run to end", last)
	}
}
