package coordinator

import (
	"slices"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine/enginetest/analytics"
	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

// A query in flight at the end of a run does not make the run invalid, even if it takes long.
func TestGroups_MayHaveQueriesInFlightAtTheEnd(t *testing.T) {
	c := edition.Catalog
	c.Workloads = append(slices.Clone(c.Workloads), analytics.Workload)
	pair, err := c.Pair("sqlite", "tprocc")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.NewOfGroups(c, pair, job.Spec{
		Action: job.Run, Database: "sqlite", Workload: "tprocc", Users: 1, Group: "orders", Options: option.Values{"file": "mixed.db"},
		Beside: []job.Group{{Name: "queries", Workload: "analytics", Users: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range p.Groups() {
		g := runGroup{Group: plan.Group{Plan: p}}
		g.totals.Summary = meter.NewSummary(len(p.Workload.Kinds))
		for _, aborted := range []bool{false, true} {
			g.totals.InFlight = []order.InFlight{{Took: time.Minute, Aborted: aborted}}
			if got, want := len(g.waiting()) == 1, i == 0 || aborted; got != want {
				t.Errorf("%s, aborted %v: got %v, want %v", p.Spec.Group, aborted, got, want)
			}
		}
	}
}
