//go:build browser

package browser

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/repository/repositorytest"
)

// font is the file without which pictures would differ.
const font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

// moment is the time of the pictures, and between the time from a job to the next.
const between = 150 * time.Minute

var moment = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

// TestLooks_AreTheKeptOnes compares pictures of all pages, in states from empty to 5,000 jobs, with those in looks.
func TestLooks_AreTheKeptOnes(t *testing.T) {
	if os.Getenv("SLEDGE_BROWSER_LOOKS") == "" {
		t.Skip("make test-looks compares the pictures")
	}
	if _, err := os.Stat(font); err != nil {
		t.Fatalf("%v: install the package fonts-dejavu-core", err)
	}
	changed, err := filepath.Abs("../dist/looks")
	if err != nil {
		t.Fatal(err)
	}
	s, empty := newSite(t), newSite(t)
	for _, one := range []*site{s, empty} {
		one.addUser("ann", "act")
	}
	ci := s.as("ci", "act")
	jobs := lookedAt(t, s.repository())
	s.start()
	empty.start()
	const script = "first.tcl"
	ci.wants(http.StatusOK, "PUT", "/scripts/"+script, facts{"text": "# What the answer is.\nputs [expr {6 * 7}]\n"}, nil)
	play(t, "looks.mjs", facts{
		"address": s.address, "empty": empty.address, "jobs": jobs, "script": script, "now": moment, "changed": changed,
		"hidden": [][2]string{ // regular expressions, and what a picture has in their place
			{"127.0.0.1:" + s.port, "127.0.0.1:8080"},
			{s.folder, "/srv/sledge"},
			{filepath.Base(filepath.Dir(s.folder)), "sledge"}, // pages break paths at each slash
			{`process \d+`, "process 4711"},
			{`\d+ on \S+, since`, "4711 on loadgen1, since"},
			{time.Now().UTC().Format(time.DateOnly) + `\s[\d:]+`, moment.Format(time.DateTime)},
			{time.Now().UTC().Format(time.DateOnly), moment.Format(time.DateOnly)},
			{`\d\d:\d\d:\d\d UTC`, "10:00:00 UTC"},             // the server's start
			{`^(v[\d.]+\S*|[0-9a-f]{7,}(-dirty)?)$`, "v1.0.0"}, // the version of Sledge
			{`go1[\d.]+`, "go1.26.0"},
		},
	}, nil)
}

// lookedAt fills a repository with jobs that are the same at each call, with their times, and returns the IDs of some.
// One of the jobs is running.
func lookedAt(t *testing.T, path string) map[string]job.ID {
	t.Helper()
	ctx := t.Context()
	store, err := repository.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	like := []job.Spec{{Database: "postgresql", Workload: "tprocc"}, {Database: "mariadb", Workload: "tprocc"}, {Database: "sqlite", Workload: "tproch"}}
	if err := repositorytest.Jobs(ctx, store, like, 5000); err != nil {
		t.Fatal(err)
	}
	end := func(r *repository.Recorder, err error, result job.Result, failure error) {
		if err != nil {
			t.Fatal(err)
		}
		if err := r.End(ctx, result, failure); err != nil {
			t.Fatal(err)
		}
	}
	failed := job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 8, Seed: 1}
	r, err := store.Begin(ctx, failed, nil, 0)
	end(r, err, job.Result{Status: job.Failed}, errors.New("connect to PostgreSQL at db1:5432: connection refused"))
	long := failed
	long.Labels = map[string]string{"kernel": strings.Repeat("6.12-", 12), strings.Repeat("name", 14): "", "עברית": "من اليمين"}
	long.Note = strings.Repeat("Aveeerylongwordwithoutaspace", 8) + strings.Repeat(" and a sentence that does not end", 12)
	r, err = store.Begin(ctx, long, nil, 0)
	end(r, err, job.Result{Status: job.Failed}, errors.New("create table orders: ERROR: "+strings.Repeat("relation_", 60)+strings.Repeat(" does not exist", 20)))
	timed := func(kernel string, ended time.Time, seconds int) *repositorytest.Going {
		spec := like[0]
		spec.Labels = map[string]string{"kernel": kernel}
		g, err := repositorytest.Begin(ctx, store, spec, ended.Add(-time.Duration(seconds)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		g.Seconds(seconds)
		return g
	}
	for n, kernel := range []string{"6.11", "6.12"} {
		run := timed(kernel, moment.Add(time.Duration(n-2)*between), 120)
		beside := contended(run)
		err := run.End(ctx, job.Result{
			Status: job.Succeeded, Metrics: []job.Metric{{Name: "NOPM", Value: float64(720 + 24*n), Means: "new orders a minute"}},
			Measured: job.Measured{Kinds: []string{"new order", "payment", "delivery", "stock level", "order status"}}, Beside: beside,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	live := timed("6.13", moment, 90)
	contended(live)

	// The numbers of jobs are the same at each call: give them times and IDs that are, too. Only the running job belongs to
	// a process that exists.
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(30000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, fmt.Sprintf(`
		UPDATE job SET begun_ms = %[1]d - ((SELECT max(number) FROM job) - number) * %[2]d - 120000 WHERE status <> 'running';
		UPDATE job SET begun_ms = %[1]d - 90000 WHERE status = 'running';
		UPDATE job SET ended_ms = begun_ms + 120000, result = json_set(result, '$.started', strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', begun_ms / 1000, 'unixepoch')) WHERE status <> 'running';
		UPDATE job SET id = printf('%%08X%%08X%%08X', begun_ms / 1000, number * 2654435761 %% 4294967296, number);
		UPDATE job SET facts = (SELECT facts FROM job WHERE number = 2) WHERE facts IS NULL;
		UPDATE job SET facts = json_set(facts, '$.server_machine', 'db1', '$.machines', json_object('db1', json(%[3]s))) WHERE number > (SELECT max(number) FROM job) - 3;
		UPDATE job SET profile = 1 + (number > 18) WHERE number IN (4, 10, 13, 16, 19, 22, 31, 34);
		UPDATE profile_number SET last = 2;
		UPDATE job SET
			spec = json_set(spec, '$.labels', json_object('experiment', 'scaling', 'users', CAST(1 << (number / 3 %% 4) AS TEXT), 'client_sql', iif(number / 12 %% 2, 'true', 'false'))),
			result = json_set(result, '$.metrics[0].value', (1000 - 100 * (number / 12 %% 2)) * (4 + number / 3 %% 4) + number %% 89)
			WHERE number BETWEEN 1000 AND 1150 AND action = 'run' AND database = 'postgresql' AND status = 'succeeded'`, moment.UnixMilli(), between.Milliseconds(), "'"+db1+"'"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(ctx, `SELECT id FROM job ORDER BY number DESC LIMIT 5`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	jobs := map[string]job.ID{}
	for _, name := range []string{"live", "run", "earlier", "long", "failed"} {
		var id job.ID
		if rows.Next(); rows.Scan(&id) != nil {
			t.Fatal(rows.Err())
		}
		jobs[name] = id
	}
	return jobs
}
