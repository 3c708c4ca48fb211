package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/order"
	"sledge/internal/engine/order/ordertest"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

// A generator may return totals with lists of wrong lengths. The coordinator refuses them and uses
// the sums of the reports.
func TestRun_RefusesTotalsOfAnotherShape(t *testing.T) {
	fake := func() plan.Plan {
		return plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 3 * time.Second})
	}
	inSteps := func() plan.Plan {
		p, err := inSteps(t, 1, option.Values{"steps": "0s=1,2s=2"})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	inPool := func() plan.Plan { return pooled(fake(), "a", "b") }
	other := make([]meter.CodedSummary, 3) // without kinds
	for name, tt := range map[string]struct {
		plan   func() plan.Plan
		alter  func(t *order.Totals, g *order.GroupTotals)
		reason string
	}{
		"no group":                    {fake, func(t *order.Totals, _ *order.GroupTotals) { t.Groups = nil }, "totals of a group are missing"},
		"a time below 0":              {fake, func(t *order.Totals, _ *order.GroupTotals) { t.Elapsed = -1 }, "a time of -1ns"},
		"no kinds":                    {fake, func(_ *order.Totals, g *order.GroupTotals) { g.Summary.Kinds = nil }, "the workload's kinds"},
		"no kinds by end":             {fake, func(_ *order.Totals, g *order.GroupTotals) { g.ByEnd = &meter.Summary{} }, "the workload's kinds"},
		"other users":                 {fake, func(_ *order.Totals, g *order.GroupTotals) { g.PerUser = meter.NewProfile(2, 1).Users(1) }, "totals of 2 of 3 users"},
		"users without kinds":         {fake, func(_ *order.Totals, g *order.GroupTotals) { g.RampUp = other }, "the workload's kinds"},
		"steps of a run without":      {fake, func(_ *order.Totals, g *order.GroupTotals) { g.Steps = meter.NewProfile(3, 1).Users(1) }, "3 of 0 steps"},
		"start lag of a kind":         {fake, func(_ *order.Totals, g *order.GroupTotals) { g.KindStartLag = make([]meter.CodedHistogram, 1) }, "1 of 0 kinds"},
		"a start lag of other bytes":  {fake, func(_ *order.Totals, g *order.GroupTotals) { g.StartLag = meter.CodedHistogram("other") }, "cannot be read"},
		"connections without a pool":  {fake, func(_ *order.Totals, g *order.GroupTotals) { g.ConnectionLosses = make([]order.ConnectionLoss, 1) }, "the 0 connections"},
		"users of no group in flight": {fake, func(_ *order.Totals, g *order.GroupTotals) { g.InFlight = []order.InFlight{{User: 3}} }, "in flight of users"},
		"kinds of no group in flight": {fake, func(_ *order.Totals, g *order.GroupTotals) { g.InFlight = []order.InFlight{{Kind: 1}} }, "in flight of users"},
		"more steps":                  {inSteps, func(_ *order.Totals, g *order.GroupTotals) { g.Steps = append(g.Steps, g.Steps[0]) }, "3 of 2 steps"},
		"steps without kinds":         {inSteps, func(_ *order.Totals, g *order.GroupTotals) { g.Steps = other[:2] }, "the workload's kinds"},
		"no losses of the pool":       {inPool, func(_ *order.Totals, g *order.GroupTotals) { g.ConnectionLosses = nil }, "the 2 connections"},
		"three connections": {inPool, func(_ *order.Totals, g *order.GroupTotals) {
			g.PerConnection = append(g.PerConnection, g.PerConnection[0])
		}, "the 2 connections"},
		"connections without kinds":   {inPool, func(_ *order.Totals, g *order.GroupTotals) { g.PerConnection = make([]meter.Summary, 2) }, "the workload's kinds"},
		"users of the pool":           {inPool, func(_ *order.Totals, g *order.GroupTotals) { g.PoolUsers = nil }, "the 2 connections"},
		"users of the pool, no kinds": {inPool, func(_ *order.Totals, g *order.GroupTotals) { g.PoolUsers[1] = nil }, "the workload's kinds"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := tt.plan()
				p.Pacing.Duration = 3 * time.Second
				through := func(g order.Generator) order.Generator {
					return &ordertest.Altered{Generator: g, Freezes: func(_ context.Context, totals order.Totals) (order.Totals, error) {
						tt.alter(&totals, &totals.Groups[0])
						return totals, nil
					}}
				}
				result, err := Local{Through: through}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if job.ExitOf(err) != job.ExitAborted || !strings.Contains(result.Reason, "the load generator was lost: ") || !strings.Contains(result.Reason, tt.reason) {
					t.Errorf("got %v because %q, want %q", err, result.Reason, tt.reason)
				}
				if all := result.Summary.All(); all.Done == 0 {
					t.Error("got no transaction, want those that were reported")
				}
			})
		})
	}
}

// The coordinator also refuses other answers of a wrong shape.
func TestRun_RefusesAnswersOfAnotherShape(t *testing.T) {
	for name, tt := range map[string]struct {
		altered ordertest.Altered
		reason  string
	}{
		"transactions in flight": {
			ordertest.Altered{Tells: func(from <-chan order.Report, to chan<- order.Report) {
				for r := range from {
					if r.Interval != nil {
						r.Interval.Waiting = []order.InFlight{{Group: 1}}
					}
					to <- r
				}
				close(to)
			}}, "in flight of users",
		},
		"connections of a count": {
			ordertest.Altered{Flushes: func(_ context.Context, c order.Counted) (order.Counted, error) {
				c.PerConnection = nil
				return c, nil
			}}, "over 0 connections",
		},
		"rates of the groups": {
			ordertest.Altered{Marks: func(_ context.Context, _ order.Phase, m order.Mark) (order.Mark, error) {
				m.Claimed = nil
				return m, nil
			}}, "of each group",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 3 * time.Second})
				through := func(g order.Generator) order.Generator { tt.altered.Generator = g; return &tt.altered }
				result, err := Local{Through: through}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if job.ExitOf(err) != job.ExitAborted || !strings.Contains(result.Reason, tt.reason) {
					t.Errorf("got %v because %q, want %q", err, result.Reason, tt.reason)
				}
			})
		})
	}
}

// A generator whose calls hang delays the run by a few minutes at most.
func TestRun_EndsIfAGeneratorCallHangs(t *testing.T) {
	for _, call := range []string{"Start", "Stop", "Abort", "Close", "Stop Abort Close", "Start Stop Abort Close"} {
		t.Run(call, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 3 * time.Second, Failures: load.Failures{Limit: 100}})
				end := make(chan struct{})
				var inner order.Generator
				through := func(g order.Generator) order.Generator {
					inner = g
					return &hanging{Generator: g, calls: call, end: end}
				}
				began := time.Now()
				_, err := Local{Through: through}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if lost := call != "Close" && call != "Abort"; lost != (job.ExitOf(err) == job.ExitAborted) {
					t.Errorf("got %v, want the generator to be lost: %t", err, lost)
				}
				if took := time.Since(began); took > 5*time.Minute {
					t.Errorf("the run took %s, want at most 5 minutes", took)
				}
				close(end)
				if strings.Contains(call, "Close") {
					inner.Close()
				}
				time.Sleep(time.Hour) // for all that it has left behind to end
			})
		})
	}
}

// hanging is a generator whose named calls return only after end is closed.
type hanging struct {
	order.Generator
	calls string
	end   chan struct{}
}

func (h *hanging) in(call string) bool {
	if strings.Contains(h.calls, call) {
		<-h.end
		return true
	}
	return false
}

func (h *hanging) Start(ctx context.Context) error {
	if h.in("Start") {
		return ctx.Err()
	}
	return h.Generator.Start(ctx)
}

func (h *hanging) Stop() {
	if !h.in("Stop") {
		h.Generator.Stop()
	}
}

func (h *hanging) Abort() {
	if !h.in("Abort") {
		h.Generator.Abort()
	}
}

func (h *hanging) Close() {
	if !h.in("Close") {
		h.Generator.Close()
	}
}
