package sqlschema_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/testserver"
)

// planned is a server whose statements have plans.
type planned struct {
	name, version string
	settings      []string
	prepare       []string
	byIndex       string // steps of the plan of a read, and without the index
	without       string
	dropIndex     string
	how           []string // sections that explain
}

var plannedServers = []planned{
	{
		name: "postgresql", version: "18", settings: []string{"shared_preload_libraries=pg_stat_statements"},
		prepare: []string{"CREATE EXTENSION IF NOT EXISTS pg_stat_statements", "CREATE SCHEMA sledge_planned", "SET search_path = sledge_planned, public"},
		byIndex: "planned_a", without: "Seq Scan on planned", dropIndex: "DROP INDEX planned_a", how: []string{"explain"},
	},
	{
		name: "postgresql", version: "15", settings: []string{"shared_preload_libraries=pg_stat_statements"},
		prepare: []string{"CREATE EXTENSION IF NOT EXISTS pg_stat_statements", "CREATE SCHEMA sledge_planned", "SET search_path = sledge_planned, public"},
		byIndex: "planned_a", without: "Seq Scan on planned", dropIndex: "DROP INDEX planned_a", how: []string{"explain_prepared"},
	},
	{
		name: "mysql", prepare: []string{"CREATE DATABASE sledge_planned", "USE sledge_planned"},
		byIndex: "key planned_a", without: "access_type ALL", dropIndex: "ALTER TABLE planned DROP INDEX planned_a", how: []string{"explain", "explain_change"},
	},
	{
		name: "mariadb", settings: []string{"performance_schema=ON"},
		prepare: []string{
			"UPDATE performance_schema.setup_consumers SET enabled = 'YES' WHERE name IN ('events_statements_current', 'events_statements_history')",
			"CREATE DATABASE sledge_planned", "USE sledge_planned",
		},
		byIndex: "key planned_a", without: "access_type ALL", dropIndex: "ALTER TABLE planned DROP INDEX planned_a", how: []string{"explain", "explain_change"},
	},
}

// open returns the plan of a server, and a function that opens sessions in its schema, which has the table
// planned with 2,000 rows.
func (p planned) open(t *testing.T) (plan.Plan, func() database.Session) {
	t.Helper()
	options := []testserver.Option{}
	if p.version != "" {
		options = append(options, testserver.Version(p.version))
	}
	for _, setting := range p.settings {
		options = append(options, testserver.Setting(setting))
	}
	on := planOf(t, p.name, testserver.Open(t, p.name, options...))
	s := opened(t, on)
	do := func(s database.Session, list ...string) {
		for _, text := range list {
			if err := s.Exec(t.Context(), text); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
	}
	do(s, p.prepare...)
	values := make([]string, 2000)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, 0, 'private %d')", i, i)
	}
	do(s, "CREATE TABLE planned (a INT, b INT, c VARCHAR(100))", "INSERT INTO planned VALUES "+strings.Join(values, ", "), "CREATE INDEX planned_a ON planned (a)")
	if p.name == "postgresql" {
		do(s, "ANALYZE planned")
		t.Cleanup(func() { _ = s.Exec(context.Background(), "DROP SCHEMA sledge_planned CASCADE") })
	} else {
		t.Cleanup(func() { _ = s.Exec(context.Background(), "DROP DATABASE sledge_planned") })
	}
	return on, func() database.Session {
		s := opened(t, on)
		do(s, p.prepare[len(p.prepare)-1])
		return s
	}
}

// A user reads and changes a table, and an administrator drops its index.
func TestStatements_SeeAPlanChange(t *testing.T) {
	for _, of := range plannedServers {
		t.Run(of.name+of.version, func(t *testing.T) {
			p, open := of.open(t)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var users sync.WaitGroup
			changes := 0
			user := open()
			users.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					key := n % 2000
					for _, text := range []string{fmt.Sprintf("SELECT b FROM planned WHERE a = %d AND c = 'private %d'", key, key), fmt.Sprintf("UPDATE planned SET b = b + 2 / 2 WHERE a = %d", key)} {
						if _, err := user.Query(t.Context(), text, 0); err != nil {
							t.Error(err)
							return
						}
					}
					changes++
				}
			})
			shapes := make(chan string, 1000)
			marks := make(chan string, 100)
			classify := p.Database.Sessions.Classify
			o := &observer.Statements{
				Connect: func(context.Context) (database.Session, error) { return open(), nil }, Ask: p.Server.Statements, Mask: p.Database.Runs.Mask(),
				Lost: func(err error) bool { return classify(err) == meter.Connection },
				ReadPlan: func(answer database.Table) []job.PlanLine {
					lines := p.Database.Dialect.ReadPlan(answer)
					shapes <- job.QueryPlan{Lines: lines}.Shape()
					return lines
				},
				Mark: func(text string) { marks <- text },
			}
			group := observer.Begin(t.Context(), observer.NewAxis(func(job.Event) {}), func(line string) { t.Log(line) }, o)
			began := time.Now()
			group.Align(began)
			group.Reach(observer.RampUpOver)
			wait := func(wanted string, from <-chan string) {
				for limit := time.After(time.Minute); ; {
					select {
					case got := <-from:
						if strings.Contains(got, wanted) {
							return
						}
						t.Logf("saw %s", got)
					case <-limit:
						t.Fatalf("did not see %q", wanted)
					}
				}
			}
			wait(of.byIndex, shapes)
			wait(of.byIndex, shapes) // of the read and of the change, whose first looks come together
			dropped := time.Since(began).Seconds()
			if err := open().Exec(t.Context(), of.dropIndex); err != nil {
				t.Fatal(err)
			}
			wait("SELECT", marks)
			noticed := time.Since(began).Seconds()
			group.Reach(observer.TimeUp)
			var result job.Result
			group.End(&result)
			stop()
			users.Wait()
			if result.Statements == nil || len(result.Unobserved) > 0 {
				t.Fatalf("got %+v, %+v", result.Statements, result.Unobserved)
			}
			seen := 0
			for _, one := range result.Statements.Top {
				if !strings.Contains(one.Text, "planned") || strings.HasPrefix(one.Text, "EXPLAIN") || len(one.PlansSeen) == 0 {
					continue
				}
				seen++
				if len(one.PlansSeen) != 2 || one.PlansSeen[0] > dropped || one.PlansSeen[1] < dropped-0.01 || strings.HasPrefix(one.Text, "SELECT") && one.PlansSeen[1] > noticed {
					t.Errorf("%s: got plans at %g s, want one before %.2f s and one until %.2f s", one.Text, one.PlansSeen, dropped, noticed)
				}
				var shapes []string
				for _, plan := range result.Plans {
					if plan.Statement == one.ID {
						shapes = append(shapes, plan.Shape())
						for _, line := range plan.Lines {
							if plan.Query != one.Text || strings.Contains(line.Text, "private") {
								t.Errorf("got %+v of %q, want its text and no value", plan, one.Text)
							}
						}
					}
				}
				if len(shapes) != 2 || !strings.Contains(shapes[0], of.byIndex) || !strings.Contains(shapes[1], of.without) {
					t.Errorf("%s: got the shapes\n%s", one.Text, strings.Join(shapes, "\n\n"))
				}
			}
			if seen != 2 {
				t.Errorf("got %+v, want two statements with plans", result.Statements.Top)
			}
			if sum, err := open().Query(t.Context(), "SELECT SUM(b) FROM planned", 0); err != nil || sum.Rows[0][0] != fmt.Sprint(changes) {
				t.Errorf("got the sum %v, %v, want the %d changes of the user: explaining executes nothing", sum.Rows, err, changes)
			}
		})
	}
}

// EXPLAIN may execute functions to plan. Such statements have no plan, or the function cannot write.
func TestStatements_ExplainWithoutSideEffects(t *testing.T) {
	for _, of := range plannedServers {
		t.Run(of.name+of.version, func(t *testing.T) {
			p, open := of.open(t)
			s := open()
			create := "CREATE FUNCTION planned_writes(n INT) RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO planned VALUES (n, n, 'written'); RETURN n; END"
			if of.name == "postgresql" {
				create = "CREATE FUNCTION planned_writes(n INT) RETURNS INT IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN INSERT INTO planned VALUES (n, n, 'written'); RETURN n; END $$"
			}
			for _, text := range []string{create, "CREATE VIEW planned_view AS SELECT planned_writes(5) AS n"} {
				if err := s.Exec(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			for _, text := range []string{
				"SELECT * FROM (SELECT planned_writes(5)) d", "SELECT * FROM planned WHERE a = planned_writes(5)", "UPDATE planned SET b = 1 WHERE a = planned_writes(5)",
				"SELECT * FROM planned_view v, planned WHERE a = v.n", "DELETE FROM planned WHERE a = (SELECT n FROM planned_view)", "INSERT INTO planned SELECT n, n, '' FROM planned_view", "DELETE FROM planned",
			} {
				for _, how := range of.how {
					answer, err := p.Server.Statements.Explain(t.Context(), s, database.StatementExample{Text: text, How: how})
					lines := p.Database.Dialect.ReadPlan(answer)
					t.Logf("%s %s: %d lines, %v", how, text, len(lines), err)
					if last := of.how[len(of.how)-1]; text == "DELETE FROM planned" && how == last && len(lines) == 0 {
						t.Errorf("%s: got no plan, %v", text, err)
					}
					if sum, err := s.Query(t.Context(), "SELECT COUNT(*), SUM(b) FROM planned", 0); err != nil || sum.Rows[0][0] != "2000" || sum.Rows[0][1] != "0" {
						t.Fatalf("%s %s: got %v, %v, want 2,000 rows unchanged", how, text, sum.Rows, err)
					}
				}
			}
		})
	}
}

// The server keeps texts of statements that EXPLAIN might execute.
func TestStatements_LeaveOutTextsThatExplainMayExecute(t *testing.T) {
	for _, of := range plannedServers[2:] {
		t.Run(of.name, func(t *testing.T) {
			p, open := of.open(t)
			s := open()
			if err := s.Exec(t.Context(), "CREATE FUNCTION planned_pure(n INT) RETURNS INT DETERMINISTIC RETURN n"); err != nil {
				t.Fatal(err)
			}
			list := map[string]string{
				"SELECT b FROM planned WHERE a = `planned_pure` (5)":                               "stored function",
				"SELECT d.x FROM (SELECT SLEEP(0) AS x) d":                                         "function that EXPLAIN may execute",
				"SELECT b /* private */ FROM planned WHERE a = 17":                                 "comment",
				"SELECT c FROM planned WHERE c = '" + strings.Repeat("long", 1000) + "' AND b > 0": "cut",
				"UPDATE planned p, planned q SET p.b = 0 WHERE p.a = 5 AND q.a = p.a":              "lock rows",
				"DELETE p FROM planned p JOIN planned q ON q.a = p.a WHERE p.a = -5":               "lock rows",
				"UPDATE planned SET a = 1, b = 0 WHERE a = -7":                                     "",
				"DELETE FROM planned WHERE a = -7":                                                 "",
				"SELECT a, b FROM planned WHERE a = 5":                                             "",
				"SELECT b FROM planned WHERE a = ? AND c > ? FOR UPDATE":                           "", // prepared
			}
			var asked struct {
				A int64  `sql:"a"`
				C string `sql:"c"`
			}
			reads, err := sqlfile.Parse("planned", "SELECT b FROM planned WHERE a = :a AND c > :c FOR UPDATE", func(int) string { return "?" })
			if err != nil {
				t.Fatal(err)
			}
			prepared, err := open().Prepare(t.Context(), reads, &asked, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := prepared.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			for text := range list {
				if strings.Contains(text, "?") {
					continue
				}
				if _, err := open().Query(t.Context(), text, 0); err != nil { // MariaDB keeps ten texts of a session
					t.Fatal(err)
				}
			}
			var examples map[string]database.StatementExample
			is := func(one database.StatementExample, text string) bool {
				return one.Text == text || strings.HasPrefix(one.Text, "SELECT c FROM") && text[7] == 'c'
			}
			isMissing := func(text string) bool {
				return !slices.ContainsFunc(slices.Collect(maps.Values(examples)), func(one database.StatementExample) bool { return is(one, text) })
			}
			// A server may count a statement after its client has the rows.
			for end := time.Now().Add(10 * time.Second); slices.ContainsFunc(slices.Collect(maps.Keys(list)), isMissing) && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				counts, err := p.Server.Statements.Counts(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				var ids []string
				for _, one := range counts {
					ids = append(ids, one.ID)
				}
				if examples, err = p.Server.Statements.Examples(t.Context(), s, ids); err != nil {
					t.Fatal(err)
				}
			}
			for text, why := range list {
				for _, one := range examples {
					if is(one, text) {
						if strings.Contains(text, "?") {
							answer, err := p.Server.Statements.Explain(t.Context(), s, one)
							lines := p.Database.Dialect.ReadPlan(answer)
							if shape := (job.QueryPlan{Lines: lines}).Shape(); err != nil || !strings.Contains(shape, "key planned_a") || lines[len(lines)-1].Text != "with '1' for each value of the prepared statement" {
								t.Errorf("%s: got %v, %v", text, lines, err)
							}
						}
						if one.Why == "" && why != "" || !strings.Contains(one.Why, why) {
							t.Errorf("%s: got %q, want %q", text, one.Why, why)
						}
					}
				}
				if isMissing(text) {
					t.Errorf("%s: there is no example in %+v", text, examples)
				}
			}
		})
	}
}
