package tprocc_test

import (
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// HammerDB's routines roll back an order with an unused item without reporting it. The test removes
// Sledge's mark from its own routines, so Sledge must treat their answers as those of another
// program.
func TestRun_AllowsForRollbacksInForeignRoutines(t *testing.T) {
	t.Parallel()
	server := testserver.Open(t, "mariadb", oneWarehouse("mariadb"))
	do := func(action job.Action, more ...string) job.Result {
		t.Helper()
		spec := job.Spec{Action: action, Database: "mariadb", Workload: "tprocc", Seed: 1, Users: 2, Options: server.Values()}
		for i := 0; i+1 < len(more); i += 2 {
			spec.Options[more[i]] = more[i+1]
		}
		result, err := local.Do(t.Context(), spec, job.Control{})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	short := []string{"rampup", "0s", "duration", "1m", "iterations", "500", "mix", "1,0,0,0,0"}
	own := do(job.Run, short...)
	if a := own.Agreement; !a.Holds || a.Allowance != "" || own.Summary.Kinds[0].RolledBack == 0 {
		t.Errorf("Sledge's own routines: got %+v and %d rolled back, want the counts to agree without an allowance", a, own.Summary.Kinds[0].RolledBack)
	}

	plan, err := local.Plan(job.Spec{Database: "mariadb", Workload: "tprocc", Options: server.Values()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, routine := range []string{"neword", "payment", "delivery", "ostat", "slev"} {
		if err := s.Exec(t.Context(), "ALTER PROCEDURE "+routine+" COMMENT ''"); err != nil {
			t.Fatal(err)
		}
	}
	foreign := do(job.Run, short...)
	a := foreign.Agreement
	if !a.Holds || a.Low >= a.Client-5 || !strings.Contains(a.Allowance, "one new order in 99") {
		t.Errorf("others' routines: got %+v, want an allowance by which the server may count less", a)
	}
	if n := foreign.Summary.Kinds[0].RolledBack; n != 0 {
		t.Errorf("foreign routines: the client counts %d orders as rolled back, want 0", n)
	}
}
