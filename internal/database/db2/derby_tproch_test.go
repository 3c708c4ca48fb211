//go:build (linux && db2) || darwin

package db2

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/database/sqlite"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
	"sledge/internal/workload/tproch"
	"sledge/internal/workload/tproch/answers"
	"sledge/internal/workload/tproch/qgen"
)

// stars is a schema of TPROC-H at the smallest scale, and a session in it.
type stars struct {
	*testing.T
	pair    catalog.Pair
	values  option.Values
	plan    plan.Plan // of the build
	session database.Session
}

const smallest, smallestScale = "0.01", 0.01

// newStars builds the schema, and deletes it when the test ends.
func newStars(t *testing.T, d *database.Database, values option.Values) stars {
	t.Helper()
	s := stars{T: t, pair: catalog.Pair{Database: d, Workload: tproch.Workload}, values: values}
	s.plan, _ = s.do(t.Context(), job.Build, option.Values{"scale_factor": smallest, "builders": "2"})
	t.Cleanup(func() { s.do(context.Background(), job.Delete, nil) })
	var err error
	if s.session, err = d.Sessions.Connect(t.Context(), s.plan.Connection, database.Owner); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.session.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// do runs a job, which must succeed.
func (s stars) do(ctx context.Context, action job.Action, values option.Values) (plan.Plan, job.Result) {
	s.Helper()
	options := s.values.Clone()
	for name, value := range values {
		options[name] = value
	}
	plan, err := plan.New(s.pair, job.Spec{Action: action, Database: s.pair.Database.Name, Workload: s.pair.Workload.Name, Users: 1, Options: options})
	if err != nil {
		s.Fatal(err)
	}
	result, err := engine.Local{Version: "test"}.DoPlan(ctx, plan, job.Control{})
	if err != nil {
		s.Fatalf("%s: %v", action, err)
	}
	return plan, result
}

// ask returns the answer to a query.
func (s stars) ask(query int, literals map[string]string) [][]string {
	s.Helper()
	text, err := s.plan.SQL.Filled(fmt.Sprintf("q%02d", query), literals)
	if err != nil {
		s.Fatal(err)
	}
	answer, err := s.session.Query(s.Context(), text, 0)
	if err != nil {
		s.Errorf("%v\n%s", err, text)
	}
	return answer.Rows
}

// TestTPROCH builds the schema, compares the answers to the 22 queries with SQLite's, checks the
// schema, runs the queries with both refresh functions, and checks it again. The SQL is Db2's,
// except for references, statistics and query 19.
func TestTPROCH(t *testing.T) {
	d := onDerby()
	derby := newStars(t, d, testserver.Open(t, "derby").Values())
	other := newStars(t, sqlite.Database, option.Values{"file": filepath.Join(t.TempDir(), "stars.db")})
	found := 0
	for query := 1; query <= qgen.Queries; query++ {
		literals := qgen.Generator{Seed: 1, Scale: smallestScale}.Parameters(query).Literals()
		want := other.ask(query, literals)
		if err := answers.Of(query).Compare(derby.ask(query, literals), want, answers.Computed); err != nil {
			t.Errorf("query %d: %v", query, err)
		}
		if len(want) > 0 && want[0][0] != "NULL" {
			found++
		}
	}
	if found < 15 { // the others find no rows at this small scale
		t.Errorf("only %d answers have rows, want at least 15", found)
	}
	derby.do(t.Context(), job.Check, nil)
	_, result := derby.do(t.Context(), job.Run, option.Values{"refresh": "true"})
	for k, kind := range tproch.Workload.Kinds {
		if tally := result.Summary.Kinds[k]; tally.Failures() > 0 || tally.Done == 0 && kind.Name[:5] != "cloud" {
			t.Errorf("%s: %d done and %d failed", kind.Name, tally.Done, tally.Failures())
		}
	}
	derby.do(t.Context(), job.Check, nil)
}
