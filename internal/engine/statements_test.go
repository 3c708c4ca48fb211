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
