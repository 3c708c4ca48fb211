package tprocc_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// TestJobs_WithAndWithoutPerformanceSchema runs and deletes both workloads, and builds the smaller one, on servers whose
// performance_schema differs from the default: off in MySQL, as some manuals advise, and on in
// MariaDB. What the samples do not tell is in the result.
func TestJobs_WithAndWithoutPerformanceSchema(t *testing.T) {
	t.Parallel() // on servers of its own
	for _, tt := range []struct{ database, setting, coarse string }{
		{"mysql", "performance_schema=OFF", "performance_schema is off"},
		{"mariadb", "performance_schema=ON", "performance_schema.setup_consumers has events_statements_current off"},
	} {
		t.Run(tt.database, func(t *testing.T) {
			t.Parallel()
			d, err := edition.Catalog.Database(tt.database)
			if err != nil {
				t.Fatal(err)
			}
			p := &place{d: d, values: testserver.Open(t, tt.database, oneWarehouse(tt.database), testserver.Setting(tt.setting)).Values()}
			for _, w := range smallWorkloads {
				if w.name != "tprocc" { // the server has that schema
					p.mustSmall(t, w, job.Build)
				}
				result, lines := p.mustSmall(t, w, job.Run)
				all := result.Summary.All()
				if len(result.Unobserved) > 0 || result.Uncounted != "" || all.Failures() > 0 {
					t.Errorf("run of %s: got %+v and %q, want the server's count and nothing unobserved: %s",
						w.name, result.Unobserved, result.Uncounted, strings.Join(lines, "\n"))
				}
				if a := result.Activity; a == nil || a.Samples == 0 || a.Coarse != tt.coarse {
					t.Errorf("run of %s: got %+v, want samples, and that %s", w.name, a, tt.coarse)
				}
				p.mustSmall(t, w, job.Delete)
			}
		})
	}
}

// A session of no user holds the rows that two users want. The samples name it, and the statement of the routine
// that waits.
func TestLock_OnMySQLHasItsHolderAndTheInnerStatement(t *testing.T) {
	t.Parallel()
	d, err := edition.Catalog.Database("mysql")
	if err != nil {
		t.Fatal(err)
	}
	p := &place{d: d, values: testserver.Open(t, "mysql", oneWarehouse("mysql")).Values()}
	holder, err := d.Sessions.Connect(t.Context(), p.plan(t).Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	do := func(statements ...string) {
		for _, text := range statements {
			if err := holder.Exec(context.Background(), text); err != nil {
				t.Error(err)
			}
		}
	}
	said := &messages{}
	said.when("The time is up: ", func() { do("ROLLBACK") })
	hold := &trigger{after: time.Second, do: func() {
		do("BEGIN", "UPDATE district SET d_ytd = d_ytd", "UPDATE warehouse SET w_ytd = w_ytd")
	}}
	spec := p.small(smallWorkloads[0], job.Run)
	spec.Options["duration"], spec.Options["mix"] = "5s", "1,1,0,0,0"
	result, err := local.Do(t.Context(), spec, job.Control{Watchers: []job.Watcher{hold, said}})
	if err != nil {
		t.Fatal(err)
	}
	a := result.Activity
	if a == nil || a.Joined == nil || len(a.Transactions) == 0 || !strings.Contains(a.Coarse, "events_waits_current") {
		t.Fatalf("got %+v, want divided times, and that waits are coarse", a)
	}
	var waited, held, inner int64
	for _, s := range a.Shares {
		if s.Class != "lock" || s.Transaction == "" {
			continue
		}
		waited += s.Sessions
		if strings.HasPrefix(s.Blocker, "session ") && strings.HasSuffix(s.Blocker, "(root)") {
			held += s.Sessions
		}
		text := strings.ToLower(s.Inner)
		for _, table := range []string{"district", "warehouse", "stock"} { // a user that waits for a district may hold the other's stock
			if strings.Contains(text, table) {
				inner += s.Sessions
				break
			}
		}
	}
	if mean := float64(waited) / float64(a.Samples); mean < 1 || mean > 2 || 2*held < waited || 10*inner < 9*waited {
		t.Errorf("got %.2f sessions that wait for locks, of %d samples %d with their holder and %d with their statement, in %+v", mean, waited, held, inner, a.Shares)
	}
}
