package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

// One statement takes most time, one does not run, one was removed and is back, and 25 take little.
func TestRun_FindsTheTopStatements(t *testing.T) {
	first := []database.StatementCount{{ID: "top", Calls: 10, Milliseconds: 100, Rows: 5, Others: map[string]float64{"wal": 7, "same": 1}}, {ID: "still", Calls: 3, Milliseconds: 9e9}, {ID: "back", Calls: 100, Milliseconds: 50}}
	second := []database.StatementCount{{ID: "top", Calls: 30, Milliseconds: 4100, Rows: 25, Others: map[string]float64{"wal": 17, "same": 1}}, {ID: "still", Calls: 3, Milliseconds: 9e9}, {ID: "back", Calls: 4, Milliseconds: 2000}}
	for i := range 25 {
		second = append(second, database.StatementCount{ID: fmt.Sprintf("small %02d", i), Calls: 1, Milliseconds: 2})
	}
	broken := errors.New("must be loaded")
	for name, tt := range map[string]struct {
		ask     database.Statements
		missing string
	}{
		"found":     {},
		"lacking":   {database.Statements{Lacking: func(context.Context, database.Session) (string, error) { return "switch it on", nil }}, "switch it on"},
		"forbidden": {database.Statements{Counts: func(context.Context, database.Session) ([]database.StatementCount, error) { return nil, broken }}, "must be loaded"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{RampUp: time.Second, Duration: 5 * time.Second, Kept: load.Kept{Samples: true}})
			n := 0
			if tt.ask.Counts == nil {
				tt.ask.Counts = func(context.Context, database.Session) ([]database.StatementCount, error) {
					n++
					return [][]database.StatementCount{first, second}[n-1], nil
				}
			}
			tt.ask.Texts = func(_ context.Context, _ database.Session, ids []string) (map[string]string, error) {
				return map[string]string{"top": "SELECT 'private',\n a FROM t WHERE a = 4711"}, nil
			}
			p.Server.Statements = &tt.ask
			result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
			s := result.Statements
			if err != nil || s == nil || s.Missing != tt.missing || len(result.Unobserved) > 0 {
				t.Fatalf("%s: got %+v, %+v, %v", name, s, result.Unobserved, err)
			}
			if tt.missing != "" {
				return
			}
			if len(s.Top) != 20 || s.Others != 7 || s.OthersSeconds != 0.014 || !s.AtLeast || s.Seconds != 5 {
				t.Errorf("got %d statements in %g s, %d others in %g s, %t", len(s.Top), s.Seconds, s.Others, s.OthersSeconds, s.AtLeast)
			}
			top, back := s.Top[0], s.Top[1]
			if top.Text != "SELECT ?, a FROM t WHERE a = ?" || top.Calls != 20 || top.Seconds != 4 || top.Rows != 20 || len(top.Counters) != 1 || top.Counters["wal"] != 10 {
				t.Errorf("got %+v", top)
			}
			if back.ID != "back" || back.Calls != 4 || back.Seconds != 2 || back.Text != "hidden from this user" {
				t.Errorf("got %+v, want what it did since it is back", back)
			}
		})
	}
}

// One statement changes its plan, one has none, one is explained only once more after its session is lost, and the
// server refuses to explain another.
func TestRun_WatchesThePlansOfTopStatements(t *testing.T) {
	for _, finite := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{RampUp: 2 * time.Second, Duration: 30 * time.Second, Kept: load.Kept{Samples: true}})
			if finite {
				p = finitePlan(nil, load.FiniteOptions{Plans: load.NoPlans}, time.Second, false)
				p.Pacing.Kept.Samples = true
			}
			p.Database.Dialect.ReadPlan = func(answer database.Table) (lines []job.PlanLine) {
				for _, row := range answer.Rows {
					lines = append(lines, job.PlanLine{Text: row[0] + " cost=" + time.Now().String(), Step: row[0]})
				}
				return lines
			}
			start := time.Now()
			since := func() float64 { return time.Since(start).Seconds() - 2 } // of the measured time
			explained := map[string]int{}
			p.Server.Statements = &database.Statements{
				Counts: func(context.Context, database.Session) (list []database.StatementCount, err error) {
					n := 1 + time.Since(start).Seconds()
					for i, id := range []string{"changes", "lost", "cut", "refused", "same", "late"} {
						list = append(list, database.StatementCount{ID: id, Calls: n, Milliseconds: n * float64(100-i)})
					}
					return list, nil
				},
				Texts: func(_ context.Context, _ database.Session, ids []string) (map[string]string, error) {
					texts := map[string]string{}
					for _, id := range ids {
						texts[id] = "SELECT " + id + " WHERE a = 4711"
					}
					return texts, nil
				},
				Examples: func(_ context.Context, _ database.Session, ids []string) (map[string]database.StatementExample, error) {
					list := map[string]database.StatementExample{"": {Why: "never asked"}}
					for _, id := range ids {
						list[id] = database.StatementExample{Text: id, How: "explain"}
					}
					list["cut"] = database.StatementExample{Why: "it was cut"}
					return list, nil
				},
				Explain: func(_ context.Context, _ database.Session, example database.StatementExample) (database.Table, error) {
					explained[example.Text]++
					switch step := "scan"; {
					case example.Text == "refused":
						return database.Table{}, errors.New("syntax error near 'private'")
					case example.Text == "lost" && explained["lost"] == 2:
						return database.Table{}, plantest.ErrLost
					case example.Text == "changes" && since() > 12:
						step = "index scan"
						fallthrough
					default:
						return database.Table{Rows: [][]string{{step}}}, nil
					}
				},
			}
			var marks []string
			seen := plantest.Watcher(func(e job.Event) {
				if e.Background != "" {
					marks = append(marks, e.Background)
				}
			})
			result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
			if err != nil || result.Statements == nil || len(result.Unobserved) > 0 {
				t.Fatalf("got %+v, %+v, %v", result.Statements, result.Unobserved, err)
			}
			if finite { // its queries have plans of their own
				if len(explained) > 0 || len(result.Plans) > 0 {
					t.Errorf("got the plans %+v after %v", result.Plans, explained)
				}
				return
			}
			plans := map[string]int{}
			for _, plan := range result.Plans {
				plans[plan.Statement]++
				if plan.Query != "SELECT "+plan.Statement+" WHERE a = ?" || plan.Kind != "" {
					t.Errorf("got %+v, want the text of the statement", plan)
				}
			}
			for _, one := range result.Statements.Top {
				changed, want := one.PlansChanged(), map[string]string{"cut": "it was cut", "refused": "syntax error near '?'"}[one.ID]
				switch {
				case one.NoPlan != want || len(one.PlansSeen) != plans[one.ID] || (want == "") != (len(one.PlansSeen) > 0):
					t.Errorf("got %+v and %d plans", one, plans[one.ID])
				case want == "" && one.PlansSeen[0] > 1:
					t.Errorf("%s: got the first plan at %g s, want one at the beginning", one.ID, one.PlansSeen[0])
				case one.ID != "changes" && len(changed) > 0:
					t.Errorf("%s: got changes at %g s", one.ID, changed)
				case one.ID == "changes" && (len(changed) != 1 || changed[0] < 12 || changed[0] > 17):
					t.Errorf("got changes at %g s, want one within 5 s after second 12", changed)
				}
			}
			if len(marks) != 1 || marks[0] != "The plan of SELECT changes WHERE a = ? changed" {
				t.Errorf("got the marks %q", marks)
			}
			// Five take turns, a look a second, the sixth has one each second, and all at each end; a refused one is not
			// tried in between.
			if explained["changes"] < 6 || explained["changes"] > 9 || explained["late"] < 28 || explained["cut"] != 0 || explained["refused"] != 2 || explained["lost"] < 6 {
				t.Errorf("got looks %v", explained)
			}
		})
	}
}
