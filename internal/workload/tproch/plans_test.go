package tproch_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite/workloadtest"
)

// Query 17 looks up the lines of a few parts through an index; query 6 reads all lines. Dropping
// the index must change the plan of query 17 only. Runs whose plans come from EXPLAIN are
// interrupted after a second, and must have plans nevertheless. DuckDB has no such index.
func TestPlans_HaveShapesOnEveryDatabase(t *testing.T) {
	for name, of := range map[string]struct{ timed, drop string }{
		"postgresql": {"analyze", "DROP INDEX lineitem_partsupp"},
		"mariadb":    {"analyze", "ALTER TABLE lineitem DROP FOREIGN KEY lineitem_partsupp_fk; DROP INDEX lineitem_partsupp ON lineitem"},
		"mysql":      {"explain", "ALTER TABLE lineitem DROP FOREIGN KEY lineitem_partsupp_fk; DROP INDEX lineitem_partsupp ON lineitem"}, // 8.0.15 has no EXPLAIN ANALYZE
		"sqlite":     {"explain", "DROP INDEX lineitem_partsupp"},
		"duckdb":     {"analyze", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, absent := range edition.Catalog.Absent {
				if absent.Name == name {
					t.Skip(absent.Absent)
				}
			}
			d, err := edition.Catalog.Database(name)
			if err != nil {
				t.Fatal(err)
			}
			server := workloadtest.Server(t, d, "")
			runner := engine.Local{Catalog: edition.Catalog}
			do := func(action job.Action, more option.Values) job.Result {
				spec := job.Spec{Action: action, Database: name, Workload: "tproch", Users: 1, Seed: 1, Options: server.Clone()}
				for option, value := range more {
					spec.Options[option] = value
				}
				result, err := runner.Do(t.Context(), spec, job.Control{})
				if err != nil && result.Status != job.Partial {
					t.Fatal(err)
				}
				return result
			}
			do(job.Build, option.Values{"scale_factor": "0.01"})
			defer do(job.Delete, nil)
			soon := time.Second.String()
			with := do(job.Run, option.Values{"time_limit": soon})
			more := option.Values{"plans": of.timed}
			if of.timed == "explain" {
				more["time_limit"] = soon
			}
			again := do(job.Run, more)
			for i, plan := range again.Plans {
				if timed := of.timed == "analyze"; plan.Error != "" || plan.Timed != timed || len(plan.Lines) == 0 {
					t.Errorf("got the plan %+v, want one with times: %t", plan, timed)
				}
				if plan.Shape() == "" || plan.Shape() != with.Plans[i].Shape() {
					t.Errorf("%s: got the shape\n%s\nand from the second run\n%s", plan.Kind, with.Plans[i].Shape(), plan.Shape())
				}
			}
			if len(again.Plans) != 22 || *again.Explained != (job.Explained{Queries: 22, Plans: 22, Timed: again.Explained.Timed, Seconds: again.Explained.Seconds, Asked: of.timed}) {
				t.Errorf("got %d plans, %+v; want 22", len(again.Plans), again.Explained)
			}
			if of.drop == "" {
				return
			}
			p, err := runner.Plan(job.Spec{Action: job.Run, Database: name, Workload: "tproch", Options: server})
			if err != nil {
				t.Fatal(err)
			}
			s, err := d.Sessions.Connect(t.Context(), p.Connection, database.Owner)
			if err != nil {
				t.Fatal(err)
			}
			for drop := range strings.SplitSeq(of.drop, "; ") {
				if err := s.Exec(t.Context(), drop); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			without := do(job.Run, option.Values{"time_limit": soon})
			shape := func(r job.Result, kind string) string {
				for _, plan := range r.Plans {
					if plan.Kind == kind {
						return plan.Shape()
					}
				}
				t.Fatalf("there is no plan of %s: %+v", kind, r.Explained)
				return ""
			}
			for kind, changes := range map[string]bool{"query 6": false, "query 17": true} {
				before, after := shape(with, kind), shape(without, kind)
				if changed := before != after; changed != changes {
					t.Errorf("%s: with the index\n%s\nwithout\n%s", kind, before, after)
				}
				if changes && (!strings.Contains(before, "lineitem_partsupp") || strings.Contains(after, "lineitem_partsupp")) {
					t.Errorf("%s: with the index\n%s\nwithout\n%s\nwant the index in the first plan only", kind, before, after)
				}
			}
			text, err := json.Marshal(with.Plans)
			if err != nil {
				t.Fatal(err)
			}
			for option, value := range server {
				if strings.HasSuffix(option, "pass") || strings.HasSuffix(option, "password") {
					if len(value) > 4 && strings.Contains(string(text), value) {
						t.Errorf("the plans contain the value of %s", option)
					}
				}
			}
		})
	}
}
