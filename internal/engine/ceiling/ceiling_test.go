package ceiling_test

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/ceiling"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
)

// spoiled is the environment variable that names a fault of the stand-in.
const spoiled = "SLEDGE_TEST_SPOILED"

// TestMain runs this program as a stand-in if the arguments say so, as cmd/sledge does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == ceiling.Command {
		os.Exit(int(ceiling.Main(catalogWith(os.Getenv(spoiled)))))
	}
	os.Exit(m.Run())
}

// catalogWith returns the catalog, in which a stand-in has a fault.
func catalogWith(fault string) catalog.Catalog {
	c := edition.Catalog
	c.Workloads = slices.Clone(c.Workloads)
	for i, w := range c.Workloads {
		if w.Users.Answers == nil {
			continue
		}
		spoiled := *w
		spoiled.Users.Answers = func(sql *sqlfile.Library) map[string]database.Answer {
			all := maps.Clone(w.Users.Answers(sql))
			switch fault {
			case "uncounted":
				for name, a := range all {
					if strings.HasSuffix(name, ".payment") {
						a.Ends = false
						all[name] = a
					}
				}
			case "unanswered":
				maps.DeleteFunc(all, func(name string, _ database.Answer) bool { return strings.HasSuffix(name, ".slev") })
			case "empty":
				all["limits"] = database.Answer{Columns: all["limits"].Columns}
			}
			return all
		}
		c.Workloads[i] = &spoiled
	}
	return c
}

// spec is a short measurement.
func spec(database string) job.Spec {
	return job.Spec{
		Action: job.MeasureCeiling, Database: database, Workload: "tprocc", Users: 8, Seed: 1,
		Options: map[string]string{"rampup": "200ms", "duration": "400ms"},
	}
}

func measure(ctx context.Context, t *testing.T, s job.Spec, control job.Control) (job.Result, error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return engine.Local{Catalog: edition.Catalog, Program: program}.Do(ctx, s, control)
}

// TestCeiling_IsMeasuredOnEachStandIn measures briefly. The measurement itself fails unless the
// stand-in has counted as many transactions as the virtual users.
func TestCeiling_IsMeasuredOnEachStandIn(t *testing.T) {
	measured := 0
	for _, d := range edition.Catalog.Databases {
		if d.StandIn == nil {
			continue
		}
		measured++
		t.Run(d.Name, func(t *testing.T) {
			r, err := measure(t.Context(), t, spec(d.Name), job.Control{})
			if err != nil {
				t.Fatal(err)
			}
			c := r.Ceiling
			if r.Status != job.Succeeded || c == nil || len(c.Repeats) != 5 || c.Cores != host.Cores() || c.Protocol != d.Title || r.Users != 8 {
				t.Fatalf("got %+v of %+v", c, r)
			}
			var each []float64
			for _, one := range c.Repeats {
				if one.Transactions < 1 || one.CPUSeconds <= 0 || one.Seconds < 0.4 || one.BusyPercent <= 0 {
					t.Errorf("got the repeat %+v", one)
				}
				each = append(each, one.CPUSeconds*1e6/float64(one.Transactions))
			}
			slices.Sort(each)
			want := float64(c.Cores) * 1e6 / each[2]
			if c.CPUMicroseconds != each[2] || c.TransactionsPerSecond != want || r.Metrics[0].Value != want || c.SpreadPercent != 100*(each[4]-each[0])/each[2] {
				t.Errorf("got %v transactions/s, %v µs each and a spread of %v %%, which are not those of %v", c.TransactionsPerSecond, c.CPUMicroseconds, c.SpreadPercent, each)
			}
		})
	}
	if measured == 0 {
		t.Error("no database has a stand-in")
	}
}

func TestCeiling_HasNoResultIfTheStandInIsWrong(t *testing.T) {
	for _, tt := range []struct{ fault, database, want string }{
		{"uncounted", "postgresql", "the counts differ: the virtual users ended "},
		{"uncounted", "mysql", "the counts differ: the virtual users ended "},
		{"unanswered", "postgresql", "has no answer to: SELECT"},
		{"unanswered", "mysql", "has no answer to: CALL SLEV("},
		{"empty", "postgresql", "there is no warehouse in the schema"},
	} {
		t.Run(tt.fault+" "+tt.database, func(t *testing.T) {
			t.Setenv(spoiled, tt.fault)
			r, err := measure(t.Context(), t, spec(tt.database), job.Control{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || r.Ceiling != nil || r.Status != job.Failed {
				t.Errorf("got %v and %+v, want the error %q", err, r, tt.want)
			}
		})
	}
}

func TestCeiling_NeedsAStandIn(t *testing.T) {
	_, err := measure(t.Context(), t, spec("sqlite"), job.Control{})
	if want := "SQLite has no stand-in for TPROC-C"; job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	_, err = engine.Local{Catalog: edition.Catalog}.Do(t.Context(), spec("postgresql"), job.Control{})
	if want := "cannot start itself"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// waits is a watcher that closes a channel when the measurement has begun.
type waits chan struct{}

func (w waits) Watch(e job.Event) {
	if e.Progress != nil && e.Progress.Done == 0 {
		close(w)
	}
}

func TestCeiling_StopsOrAborts(t *testing.T) {
	for _, how := range []string{"stop", "abort"} {
		t.Run(how, func(t *testing.T) {
			ctx, abort := context.WithCancel(t.Context())
			defer abort()
			begun, stop := make(waits), make(chan struct{})
			go func() {
				<-begun
				if how == "abort" {
					abort()
				} else {
					close(stop)
				}
			}()
			long := spec("postgresql")
			long.Options["duration"] = "1m"
			began := time.Now()
			r, err := measure(ctx, t, long, job.Control{Watchers: []job.Watcher{begun}, Stop: stop}) // it waits for the stand-in's end
			if job.ExitOf(err) != job.ExitStopped || r.Ceiling != nil || time.Since(began) > 30*time.Second {
				t.Errorf("got %v and %+v after %s", err, r.Ceiling, time.Since(began))
			}
		})
	}
}
