package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
)

func TestRun_TakesPlansAfterTheMeasuredTime(t *testing.T) {
	var asked []string // statements that the server received, each with its time
	for _, tt := range []struct {
		name      string
		options   load.FiniteOptions
		fail      string // the statement that fails
		stop      time.Duration
		planning  time.Duration
		gone      bool // the server accepts no connections after the measured time
		wantAsked []string
		wantPlans []string
		want      *job.Explained
	}{
		{name: "not without the option", options: load.FiniteOptions{Plans: load.NoPlans}},
		{
			name: "without executing", options: load.FiniteOptions{Plans: load.UntimedPlans},
			wantAsked: []string{"6s explain one", "6s explain two"},
			wantPlans: []string{"only of 7 one: scan", "only of 7 two: scan", "only of 7 : : no text"},
			want:      &job.Explained{Queries: 3, Plans: 2, Asked: "explain", Why: "only: no text"},
		},
		{
			name: "with an error for each query without a plan", options: load.FiniteOptions{Plans: load.UntimedPlans}, fail: "explain one",
			wantAsked: []string{"6s explain one", "6s explain two"},
			wantPlans: []string{"only of 7 one: : broken rule", "only of 7 two: scan", "only of 7 : : no text"},
			want:      &job.Explained{Queries: 3, Plans: 1, Asked: "explain", Why: "only: broken rule"},
		},
		{
			name: "executing", options: load.FiniteOptions{Plans: load.TimedPlans},
			wantAsked: []string{"6s execute one", "16s execute two"},
			wantPlans: []string{"only of 7 one: timed scan", "only of 7 two: timed scan", "only of 7 : : no text"},
			want:      &job.Explained{Queries: 3, Plans: 2, Timed: 2, Seconds: 20, Asked: "analyze", Why: "only: no text"},
		},
		{
			name: "without times for a query that cannot be executed again", options: load.FiniteOptions{Plans: load.TimedPlans}, fail: "execute one",
			wantAsked: []string{"6s execute one", "6s explain one", "6s execute two"},
			wantPlans: []string{"only of 7 one: scan: no times: broken rule", "only of 7 two: timed scan", "only of 7 : : no text"},
			want:      &job.Explained{Queries: 3, Plans: 2, Timed: 1, Seconds: 10, Asked: "analyze", Why: "only: no times: broken rule"},
		},
		{
			name: "without executing queries after a stop request", options: load.FiniteOptions{Plans: load.TimedPlans}, stop: 10 * time.Second,
			wantAsked: []string{"6s execute one", "16s explain two"},
			wantPlans: []string{"only of 7 one: timed scan", "only of 7 two: scan: no times: the run was stopped", "only of 7 : : no text"},
			want:      &job.Explained{Queries: 3, Plans: 2, Timed: 1, Seconds: 10, Asked: "analyze", Why: "only: no times: the run was stopped"},
		},
		{
			name:      "without executing after the time limit",
			options:   load.FiniteOptions{Plans: load.TimedPlans, TimeLimit: option.Minutes(8 * time.Second)},
			wantAsked: []string{"6s execute one", "14s explain one", "14s explain two"},
			wantPlans: []string{
				"only of 7 one: scan: no times: the time limit was over before the query ended",
				"only of 7 two: scan: no times: the time limit of 8s was over", "only of 7 : : no text",
			},
			want: &job.Explained{Queries: 3, Plans: 2, Seconds: 8, Asked: "analyze", Why: "only: no times: the time limit was over before the query ended"},
		},
		{
			name: "with an error if the server is gone", options: load.FiniteOptions{Plans: load.UntimedPlans}, gone: true,
			wantPlans: []string{"only of 7 one: : no answer", "only of 7 two: : no answer", "only of 7 : : no text"},
			want:      &job.Explained{Queries: 3, Seconds: 30, Asked: "explain", Why: "only: no answer"},
		},
		{
			name: "for at most one minute each", options: load.FiniteOptions{Plans: load.UntimedPlans}, planning: time.Hour,
			wantAsked: []string{"6s explain one", "1m6s explain two"},
			wantPlans: []string{
				"only of 7 one: : the database took longer than 1m0s to plan the query",
				"only of 7 two: : the database took longer than 1m0s to plan the query", "only of 7 : : no text",
			},
			want: &job.Explained{Queries: 3, Seconds: 120, Asked: "explain", Why: "only: the database took longer than 1m0s to plan the query"},
		},
		{
			name:      "without executing a query longer than the query limit",
			options:   load.FiniteOptions{Plans: load.TimedPlans, QueryLimit: option.Minutes(9 * time.Second)},
			wantAsked: []string{"6s execute one", "15s explain one", "15s execute two", "24s explain two"},
			wantPlans: []string{
				"only of 7 one: scan: no times: it took longer than 9s, which is what option query_limit allows",
				"only of 7 two: scan: no times: it took longer than 9s, which is what option query_limit allows", "only of 7 : : no text",
			},
			want: &job.Explained{Queries: 3, Plans: 2, Seconds: 18, Asked: "analyze", Why: "only: no times: it took longer than 9s, which is what option query_limit allows"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				asked = nil
				p := finitePlan(nil, tt.options, time.Second, false)
				explain := func(how string, takes time.Duration, line string) database.Explainer {
					return func(ctx context.Context, s database.Session, query string) (database.Table, error) {
						asked = append(asked, fmt.Sprintf("%s %s %s", time.Since(start), how, query))
						if how+" "+query == tt.fail {
							return database.Table{}, plantest.ErrBroken
						}
						select {
						case <-time.After(takes):
						case <-s.(finiteSession).cancelled:
							return database.Table{}, plantest.ErrBroken
						case <-ctx.Done():
							return database.Table{}, ctx.Err()
						}
						return database.Table{Rows: [][]string{{line}}}, nil
					}
				}
				p.Server.Explain, p.Server.ExplainTimed = explain("explain", tt.planning, "scan"), explain("execute", 10*time.Second, "timed scan")
				p.Database.Dialect.ReadPlan = func(answer database.Table) []job.PlanLine { return []job.PlanLine{{Text: answer.Rows[0][0]}} }
				p.Workload.Users.Queries = func(workload.Slot) []workload.Query {
					return []workload.Query{{Stream: 7, Text: "one"}, {Stream: 7, Text: "two"}, {Stream: 7, Err: errors.New("no text")}}
				}
				if open := p.Database.Sessions.Connect; tt.gone {
					p.Database.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
						if time.Since(start) < 6*time.Second {
							return open(ctx, options, as)
						}
						time.Sleep(30 * time.Second)
						return nil, errors.New("no answer")
					}
				}
				var stop chan struct{}
				if tt.stop > 0 {
					stop = make(chan struct{})
					time.AfterFunc(tt.stop, func() { close(stop) })
				}
				result, err := Local{Version: "test"}.perform(t.Context(), job.Run, p, &feed.Feed{}, stop)
				if err != nil || result.Elapsed != 6 {
					t.Errorf("measured %g s, error %v; want 6 s, and no error after the measured time", result.Elapsed, err)
				}
				var plans []string
				for _, plan := range result.Plans {
					text := ""
					if len(plan.Lines) > 0 {
						text = plan.Lines[0].Text
					}
					plans = append(plans, strings.TrimSuffix(fmt.Sprintf("%s of %d %s: %s: %s", plan.Kind, plan.Stream, plan.Query, text, plan.Error), ": "))
				}
				if !slices.Equal(asked, tt.wantAsked) {
					t.Errorf("asked\n%s\nwant\n%s", strings.Join(asked, "\n"), strings.Join(tt.wantAsked, "\n"))
				}
				if !slices.Equal(plans, tt.wantPlans) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(plans, "\n"), strings.Join(tt.wantPlans, "\n"))
				}
				if got := result.Explained; (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
			})
		})
	}
}
