package engine

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/engine/enginetest/analytics"
	"sledge/internal/engine/order"
	"sledge/internal/engine/order/ordertest"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

func withAnalytics() catalog.Catalog {
	c := edition.Catalog
	c.Workloads = append(slices.Clone(c.Workloads), analytics.Workload)
	return c
}

// mixed builds a TPROC-C schema. It returns the spec of a run of TPROC-C and of analytic queries on
// that schema.
func mixed(t *testing.T, l Local, database string, values option.Values) job.Spec {
	t.Helper()
	spec := func(action job.Action, workload string, options ...string) job.Spec {
		s := job.Spec{Action: action, Database: database, Workload: workload, Users: 1, Options: values.Clone()}
		for i := 0; i < len(options); i += 2 {
			s.Options[options[i]] = options[i+1]
		}
		return s
	}
	if _, err := l.Do(t.Context(), spec(job.Build, "tprocc", "warehouses", "1"), job.Control{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := l.Do(context.Background(), spec(job.Delete, "tprocc"), job.Control{}); err != nil {
			t.Error(err)
		}
	})
	s := spec(job.Run, "tprocc", "rampup", "0", "duration", "3s")
	s.Users, s.Group = 2, "orders"
	s.Options["fail_if"] = "queries.query_6.failed>0,orders.new_order.max>60s,orders.p99>60s,orders.stall>30s,orders.nopm<1,queries.p95>60s,queries.pace<1%"
	s.Beside = []job.Group{{Name: "queries", Workload: "analytics", Users: 1, Options: option.Values{"rate": "2/s", "arrivals": "constant"}}}
	return s
}

func TestGroups_RunTwoWorkloads(t *testing.T) {
	l := Local{Catalog: withAnalytics(), Version: "test"}
	for database, values := range map[string]func(*testing.T) option.Values{
		"sqlite":     func(t *testing.T) option.Values { return option.Values{"file": filepath.Join(t.TempDir(), "mixed.db")} },
		"postgresql": func(t *testing.T) option.Values { return testserver.Open(t, "postgresql").Values() },
	} {
		t.Run(database, func(t *testing.T) {
			if database == "sqlite" {
				testserver.SkipSQLiteUnderRace(t)
			}
			given := values(t)
			if database == "postgresql" {
				given["user"], given["password"], given["dbname"] = "mixed", "mixed", "mixed"
			}
			spec := mixed(t, l, database, given)
			for name, through := range map[string]func(order.Generator) order.Generator{
				"directly": nil,
				"piped":    func(g order.Generator) order.Generator { return &ordertest.Pipe{Generator: g} },
			} {
				t.Run(name, func(t *testing.T) { runMixed(t, l, spec, through) })
			}
		})
	}
}

func runMixed(t *testing.T, l Local, spec job.Spec, through func(order.Generator) order.Generator) {
	p, err := l.Plan(spec)
	if err != nil {
		t.Fatal(err)
	}
	l.Through = through
	seconds := meter.NewSummary(5 + 5)
	watch := plantest.Watcher(func(e job.Event) {
		if e.Second != nil && e.Second.Phase == job.Measure {
			if err := seconds.AddCoded(e.Second.Measured); err != nil {
				t.Error(err)
			}
		}
	})
	result, err := l.DoPlan(t.Context(), p, job.Control{Watchers: []job.Watcher{watch}})
	if err != nil {
		t.Fatalf("%v: %s", err, result.Reason)
	}
	if result.Users != 3 || len(result.Kinds) != 10 || len(result.Summary.Kinds) != 10 || result.Kinds[0] != "orders.new order" {
		t.Fatalf("got %d users and the kinds %q, want 3 users and the kinds of both groups", result.Users, result.Kinds)
	}
	ended := map[string]int64{}
	for i, name := range result.Kinds {
		group, _, _ := strings.Cut(name, ".")
		ended[group] += result.Summary.Kinds[i].Ended()
		got, want := seconds.Kinds[i].Ended(), result.Summary.Kinds[i].Ended()
		most := int64(0)
		if group == "queries" { // at a rate, they count by their scheduled start
			most = 1
		}
		if got-want > most || want-got > most {
			t.Errorf("%s: the seconds have %d transactions, and the result %d", name, got, want)
		}
	}
	all := result.Summary.All()
	if ended["orders"] == 0 || ended["queries"] == 0 || ended["orders"]+ended["queries"] != all.Ended() {
		t.Errorf("got %v, want transactions of both groups with a total of %d", ended, all.Ended())
	}
	if result.Idle == nil || result.Idle.Of != 3 || result.Idle.Idle != 0 {
		t.Errorf("got %+v, want none of 3 users idle", result.Idle)
	}
	if len(result.Groups) != 2 || result.Agreement != nil || result.LongestGap != nil {
		t.Fatalf("got the groups %+v, agreement %+v and longest gap %+v; want two groups, and agreement and gap only in them", result.Groups, result.Agreement, result.LongestGap)
	}
	orders, queries := result.Groups[0], result.Groups[1]
	if orders.Name != "orders" || orders.Workload != "tprocc" || orders.Users != 2 || queries.Name != "queries" || queries.Workload != "analytics" || queries.Users != 1 {
		t.Errorf("got %+v, want both groups", result.Groups)
	}
	if a := orders.Agreement; a == nil || !a.Holds && !a.Vague || queries.Agreement != nil {
		t.Errorf("got %+v and %+v, want an agreement that holds for orders and none for queries", a, queries.Agreement)
	}
	if orders.LongestGap == nil || queries.LongestGap != nil {
		t.Errorf("got the longest gaps %+v and %+v, want one for orders and none for queries, which may take any time", orders.LongestGap, queries.LongestGap)
	}
	for _, name := range []string{"orders.NOPM", "orders.TPM", "queries.QPM"} {
		if value, is := result.Metric(name); !is || value <= 0 {
			t.Errorf("got %v, want %s", result.Metrics, name)
		}
	}
	tpm, _ := result.Metric("orders.TPM")
	if part := result.Summary.PerMinute(ended["orders"]); tpm < 0.99*part || tpm > 1.01*part {
		t.Errorf("got %g orders.TPM, want %g, the rate of this group alone", tpm, part)
	}
	if orders.Pace != nil || queries.Pace == nil || math.Abs(queries.Pace.Asked-2) > 0.5 || result.Pace != nil {
		t.Errorf("got the paces %+v of orders and %+v of queries, want about 2 queries a second scheduled, and no rate of orders", orders.Pace, queries.Pace)
	}
	texts := []string{}
	for _, v := range result.Thresholds {
		texts = append(texts, v.Text)
		if !v.Passed || v.Measured == nil {
			t.Errorf("got %+v, want it passed", v)
		}
	}
	if len(texts) != 7 {
		t.Errorf("got the verdicts %q, want one for each threshold", texts)
	}
}

func TestGroups_RefuseUnsupportedOptions(t *testing.T) {
	l := Local{Catalog: withAnalytics(), Version: "test"}
	for want, change := range map[string]func(*job.Spec){
		"cannot have steps yet": func(s *job.Spec) { s.Options["steps"] = "1,2" },
		"rampup=1: all groups of a run share this option: set rampup for the run": func(s *job.Spec) { s.Beside[0].Options = option.Values{"rampup": "1"} },
		`"refund" is not one of new order, payment`:                               func(s *job.Spec) { s.Options["rate"] = "new_order=1/s,refund=1/s" },
		`only a run with a rate`:                                                  func(s *job.Spec) { s.Options["rate"], s.Options["fail_if"] = "10/s", "queries.pace<50%" },
		"cannot have a ledger yet":                                                func(s *job.Spec) { s.Options["ledger"], s.Options["reconnect"] = "true", "true" }, // the first of two errors
		"cannot have users that conn":                                             func(s *job.Spec) { s.Options["reconnect"] = "true" },
		"needs a name of its own":                                                 func(s *job.Spec) { s.Beside[0].Name = "orders" },
		"groups of a run share":                                                   func(s *job.Spec) { s.Beside[0].Options = option.Values{"dbname": "other"} },
		"two groups of a run cannot":                                              func(s *job.Spec) { s.Beside[0].Workload = "tprocc" },
		"only a run can have several":                                             func(s *job.Spec) { s.Action = job.Check },
		"a name has lower-case":                                                   func(s *job.Spec) { s.Beside[0].Name = "Q.1" },
		`"nopm" is not a metric`:                                                  func(s *job.Spec) { s.Options["fail_if"] = "nopm<5" },
		"may take any time":                                                       func(s *job.Spec) { s.Options["fail_if"] = "queries.stall>5s" },
		`"queries.qery_6" is not a kind of transaction of TPROC-C beside Analytics: did you mean queries.query_6?`: func(s *job.Spec) { s.Options["fail_if"] = "queries.qery_6.p95>5s" },
	} {
		s := job.Spec{
			Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 1, Group: "orders", Options: option.Values{"dbname": "both", "user": "x"},
			Beside: []job.Group{{Name: "queries", Workload: "analytics", Users: 1}},
		}
		change(&s)
		if _, err := l.Plan(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
