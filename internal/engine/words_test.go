package engine

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/schema"
	"sledge/internal/workload"
)

// A session whose tables are those of its map, and in which the rule that says
// "broken" is.
type wordySession struct {
	instantSession
	tables []string
}

func (s wordySession) Exec(context.Context, string) error           { return nil }
func (s wordySession) Begin(context.Context, database.Access) error { return nil }
func (s wordySession) Commit(context.Context) error                 { return nil }

func (s wordySession) Query(ctx context.Context, text string, limit int) (database.Table, error) {
	switch text {
	case "tables":
		var t database.Table
		for _, name := range s.tables {
			t.Rows = append(t.Rows, []string{name, "id"})
		}
		return t, nil
	case "broken":
		return database.Table{Columns: []string{"w_id"}, Rows: [][]string{{"1"}}}, nil
	}
	return s.instantSession.Query(ctx, text, limit)
}

// wordyPlan is of a schema "tpcc" with these tables standing and these rules.
func wordyPlan(t *testing.T, tables []string, rules ...workload.Rule) Plan {
	t.Helper()
	p := fakePlan(fakeUser{}, workload.Pacing{})
	d, w := *p.Database, *p.Workload
	d.Connect = func(context.Context, any, database.Role) (database.Session, error) {
		return wordySession{tables: tables, instantSession: instantSession{server: &fakeServer{}}}, nil
	}
	d.Drop = func(_ context.Context, _ any, dropped func(kind, name string)) error {
		dropped("role", "owner")
		return nil
	}
	d.Said = database.Said{
		Schema:  func(any) string { return "tpcc" },
		Builder: func(any) string { return "OWNER" },
		Checked: "%s %s Schema has been checked successfully.",
		Deleted: "%s %s schema has been deleted successfully.",
	}
	files := fstest.MapFS{"sql/check.sql": {Data: []byte("-- name: broken\nbroken\n-- name: kept\nkept")}}
	for path, file := range fakeSQL.(fstest.MapFS) {
		files[path] = file
	}
	d.Dialect.Type = func(schema.Column) string { return "TEXT" }
	d.SQL = fs.FS(files)
	w.Title, w.Rules = "TPROC-C", rules
	w.Identity = func(any, uint64) string { return "nothing" }
	w.Tables = func(any, uint64) []schema.Table { return []schema.Table{{Name: "only", Key: []string{"id"}}} }
	p.Database, p.Workload = &d, &w
	var err error
	if p.SQL, err = library(&d, &w); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSchemasAreSpokenOfInHammerDBsWords(t *testing.T) {
	kept, broken := workload.Rule{Name: "kept"}, workload.Rule{Name: "broken", Title: "W_YTD = sum(D_YTD)"}
	failing := broken
	failing.Failed = "consistency check 1 failed"
	for _, tt := range []struct {
		name   string
		action job.Action
		tables []string
		rules  []workload.Rule
		want   []string
	}{
		{"a build", job.Build, nil, nil, []string{
			"1 RUNNING", "1 Building nothing in Fake fake", "1 CREATING OWNER SCHEMA", "1 OWNER SCHEMA COMPLETE", "1 FINISHED SUCCESS",
		}},
		{"a check", job.Check, []string{"only"}, []workload.Rule{kept}, []string{
			"1 RUNNING", "1 Checking tpcc TPROC-C schema", "1 tpcc TPROC-C Schema has been checked successfully.", "1 FINISHED SUCCESS",
		}},
		{"a check that fails", job.Check, []string{"only"}, []workload.Rule{kept, failing}, []string{
			"1 RUNNING", "1 Checking tpcc TPROC-C schema",
			"0 Error in Virtual User 1: TPROC-C Schema check failed tpcc schema consistency check 1 failed", "1 FINISHED FAILED",
		}},
		{"a check of a rule that is ours alone", job.Check, []string{"only"}, []workload.Rule{broken}, []string{
			"1 RUNNING", "1 Checking tpcc TPROC-C schema",
			"0 Error in Virtual User 1: TPROC-C Schema check failed tpcc schema breaks the rule that W_YTD = sum(D_YTD)", "1 FINISHED FAILED",
		}},
		{"a check of nothing", job.Check, nil, nil, []string{
			"1 RUNNING", "1 Checking tpcc TPROC-C schema",
			"0 Error in Virtual User 1: Schema check failed tpcc TPROC-C schema does not exist", "1 FINISHED FAILED",
		}},
		{"a delete", job.Delete, []string{"only"}, nil, []string{
			"1 RUNNING", "1 tpcc TPROC-C schema has been deleted successfully.",
			"1 owner TPROC-C role has been deleted successfully.", "1 Dropped Fake fake", "1 FINISHED SUCCESS",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen := &transcript{}
			_, err := Local{}.perform(t.Context(), tt.action, wordyPlan(t, tt.tables, tt.rules...), &feed{watchers: []job.Watcher{seen}}, nil)
			if got, want := strings.Join(seen.lines, "\n"), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("got (%v)\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}
