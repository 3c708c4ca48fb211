package tprocc_test

import (
	"maps"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/testserver"
)

// A run without new orders has no NOPM, and no new orders to compare with the server. It is valid
// and reports the client's TPM.
func TestRun_WithoutNewOrdersHasNoNOPM(t *testing.T) {
	t.Parallel()
	local := engine.Local{Catalog: edition.Catalog, Version: "test"}
	for _, name := range []string{"sqlite", "postgresql", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := edition.Catalog.Database(name)
			if err != nil {
				t.Fatal(err)
			}
			var server option.Values
			if d.Embedded() {
				server = workloadtest.Server(t, d, "")
			} else {
				server = testserver.Open(t, name, oneWarehouse(name)).Values()
			}
			do := func(action job.Action, more option.Values) job.Result {
				t.Helper()
				spec := job.Spec{Action: action, Database: name, Workload: "tprocc", Seed: 1, Users: 2, Options: server.Clone()}
				maps.Copy(spec.Options, more)
				result, err := local.Do(t.Context(), spec, job.Control{})
				if err != nil {
					t.Fatal(err)
				}
				return result
			}
			with := func(mix string) option.Values {
				return option.Values{"rampup": "0s", "duration": "2m", "iterations": "60", "mix": mix, "deck": "true"} // a whole deck each, however slow the machine
			}
			if d.Embedded() {
				do(job.Build, nil)
			}
			result := do(job.Run, with("read-only"))
			for k, kind := range result.Kinds {
				reads := kind == "stock level" || kind == "order status"
				if tally := result.Summary.Kinds[k]; (tally.Done > 0) != reads {
					t.Errorf("%s: %d done in a read-only run", kind, tally.Done)
				}
			}
			if _, has := result.Metric("NOPM"); has || len(result.Metrics) == 0 || result.Metrics[0].Name != "client TPM" || result.Metrics[0].Value == 0 {
				t.Errorf("got the figures %+v, want the client's TPM first and no NOPM", result.Metrics)
			}
			if a := result.Agreement; a == nil || !a.None || a.Client != 0 || a.Server != 0 {
				t.Errorf("got %+v, want it to report that there were no new orders to compare", a)
			}
			if c := result.CounterAgreement; !d.Embedded() && (c == nil || !c.Trusted() && !c.Vague) { // a busy machine may do few
				t.Errorf("got %+v, want the counts of all transactions to agree", c)
			}
			if result.Contention != nil {
				t.Errorf("got %+v of users who only read, want nothing", result.Contention)
			}
			result = do(job.Run, with("write-only"))
			if c := result.Contention; d.Embedded() != (c == nil) || c != nil && (c.Sharing != 2 || c.Most != 2 || c.Enough != 2) {
				t.Errorf("got %+v, want two users to share the only warehouse, if they wait for its rows", c)
			}
			if orders, has := result.Metric("NOPM"); !has || orders == 0 || result.Agreement.None || !result.Agreement.Holds && !result.Agreement.Vague {
				t.Errorf("write-only: got %+v, %+v", result.Metrics, result.Agreement)
			}
			for k, kind := range result.Kinds {
				writes := kind != "stock level" && kind != "order status"
				if tally := result.Summary.Kinds[k]; (tally.Done > 0) != writes {
					t.Errorf("%s: %d done in a write-only run", kind, tally.Done)
				}
			}
		})
	}
}
