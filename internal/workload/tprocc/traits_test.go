package tprocc_test

import (
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
	"sledge/internal/workload/tprocc"
)

// TestTraits_SayWhereARunIsUnlikeTPCC compares a run with the habits of load tests and one as TPC-C asks for it.
func TestTraits_SayWhereARunIsUnlikeTPCC(t *testing.T) {
	// done makes the summary of a run with numbers of transactions, each of which took a time.
	done := func(elapsed, took time.Duration, numbers ...int) meter.Summary {
		s := meter.NewSummary(len(numbers))
		s.Elapsed = elapsed
		for k, n := range numbers {
			s.Kinds[k].Done = int64(n)
			if err := s.Kinds[k].Response.RecordValues(took.Nanoseconds(), int64(n)); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	traits := func(w workload.Window, options ...func(*tprocc.Options)) map[string]job.Trait {
		o := tprocc.Workload.Options().(*tprocc.Options)
		for _, set := range options {
			set(o)
		}
		w.Options, w.Names = o, tprocc.Workload.KindNames()
		named := map[string]job.Trait{}
		for _, trait := range tprocc.Workload.Score.Traits(w) {
			named[trait.Name] = trait
		}
		return named
	}
	wants := func(of map[string]job.Trait, met bool, named map[string]string) {
		t.Helper()
		for name, here := range named {
			if got := of[name]; got.Met != met || !strings.Contains(got.Here, here) || got.Asked == "" || !strings.HasPrefix(got.Source, "TPC-C ") {
				t.Errorf("%s: got %+v, want met %t, and %q in what is here", name, got, met, here)
			}
		}
	}
	usual := traits(workload.Window{
		Summary: done(5*time.Minute, 30*time.Second, 450, 400, 50, 50, 50), Elapsed: 5 * time.Minute, Probe: 60_000, Probed: true, Terminals: 4, Survey: 1,
	}, func(o *tprocc.Options) { o.AllWarehouses = true })
	wants(usual, false, map[string]string{
		"pauses": "none", "users": "4 users on 1 warehouse", "rate": "12,000 NOPM a warehouse", "home warehouse": "its share of all",
		"other warehouses": "none", "mix": "45.0 % new order, 40.0 % payment", "response times": "90 % within 30", "delivery": "at once", "measured time": "5m0s",
	})
	strict := traits(workload.Window{
		Summary: done(2*time.Hour, time.Second, 1000, 1000, 100, 100, 100), Elapsed: 2 * time.Hour, Probe: 20 * 120 * 12, Probed: true, Terminals: 200, Survey: 20,
	}, func(o *tprocc.Options) { o.KeyAndThink = true })
	wants(strict, true, map[string]string{
		"pauses": "keying times of 18, 3, 2, 2, 2 s", "users": "200 users on 20 warehouses", "rate": "12 NOPM a warehouse", "home warehouse": "keeps one",
		"other warehouses": "1 % of order lines", "mix": "43.5 % payment", "response times": "slowest in new order", "measured time": "2h0m0s",
	})
	if got := traits(workload.Window{Summary: done(time.Hour, time.Second, 10, 10, 1, 1, 1), Survey: 20}, func(o *tprocc.Options) {
		o.KeyAndThink = true
		o.Thinking[0] = 11
	})["pauses"]; got.Met {
		t.Errorf("got %+v with a shorter thinking time, want it not met", got)
	}
}
