package engine

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/engine/order"
	"sledge/internal/engine/order/ordertest"
	"sledge/internal/job"
)

// Three users end a transaction every 100 ms, for 5 s that are measured, or longer. However the generator fails, the
// run ends, and its result says what it knows.
func TestRun_EndsTruthfullyWithoutItsGenerator(t *testing.T) {
	measured := func(r order.Report, sequence int) bool {
		return r.Interval != nil && r.Interval.Phase == job.Measure && r.Interval.Sequence == sequence
	}
	pipe := func(p *ordertest.Pipe) func(order.Generator) order.Generator {
		return func(g order.Generator) order.Generator { p.Generator = g; return p }
	}
	altered := func(a ordertest.Altered) func(order.Generator) order.Generator {
		return func(g order.Generator) order.Generator { a.Generator = g; return &a }
	}
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, tt := range map[string]struct {
		through func(order.Generator) order.Generator

		duration   time.Duration // 0 is 5 s
		status     job.Status
		exit       job.Exit
		reason     string
		done       int64 // transactions
		unobserved string
		within     time.Duration
	}{
		"a pipe in order": {
			through: pipe(&ordertest.Pipe{}), status: job.Succeeded, done: 147, within: 8 * time.Second,
		},
		"a pipe with a delay": {
			through: pipe(&ordertest.Pipe{Delay: 3 * time.Millisecond}), status: job.Succeeded, done: 147, within: 8 * time.Second,
		},
		"reports are lost": {
			through: pipe(&ordertest.Pipe{Drops: func(r order.Report) bool { return measured(r, 3) || measured(r, 4) }}),
			status:  job.Succeeded, done: 147, unobserved: "2 of 5 reports of the load generator were lost or late", within: 8 * time.Second,
		},
		"the last reports are lost": {
			through: pipe(&ordertest.Pipe{Drops: func(r order.Report) bool { return measured(r, 4) }}),
			status:  job.Succeeded, done: 147, unobserved: "1 of 5 reports of the load generator were lost or late", within: 9 * time.Second,
		},
		"the pipe breaks": {
			through: pipe(&ordertest.Pipe{DiesAfter: func(r order.Report) bool { return measured(r, 2) }}),
			status:  job.Failed, exit: job.ExitAborted, reason: "the load generator was lost", done: 57, within: 4 * time.Second,
		},
		"it falls silent": {
			through: altered(ordertest.Altered{Tells: func(from <-chan order.Report, to chan<- order.Report) {
				for r := range from {
					if measured(r, 1) {
						to <- r
					}
				}
				close(to)
			}}),
			duration: time.Minute,
			status:   job.Failed, exit: job.ExitAborted, reason: "it reported nothing for 15 s", done: 507, unobserved: "lost or late", within: 30 * time.Second,
		},
		"it repeats reports": {
			through: altered(ordertest.Altered{Tells: func(from <-chan order.Report, to chan<- order.Report) {
				for r := range from {
					to <- r
					to <- r
				}
				close(to)
			}}),
			status: job.Succeeded, done: 147, unobserved: "came more than once", within: 8 * time.Second,
		},
		"it never ends a phase": {
			through: altered(ordertest.Altered{Marks: func(ctx context.Context, p order.Phase, m order.Mark) (order.Mark, error) {
				if p.Name == job.Finish {
					return m, hang(ctx)
				}
				return m, nil
			}}),
			status: job.Failed, exit: job.ExitAborted, reason: "the load generator was lost: it did not answer within 1m0s", done: 147, within: 70 * time.Second,
		},
		"it has no totals": {
			through: altered(ordertest.Altered{Freezes: func(context.Context, order.Totals) (order.Totals, error) {
				return order.Totals{}, errors.New("out of memory")
			}}),
			status: job.Failed, exit: job.ExitAborted, reason: "the load generator was lost: out of memory", done: 147, within: 8 * time.Second,
		},
		"its totals are too high": {
			through: altered(ordertest.Altered{Freezes: func(_ context.Context, totals order.Totals) (order.Totals, error) {
				totals.Groups[0].Summary.Kinds[0].Done += 100
				return totals, nil
			}}),
			status: job.Invalid, exit: job.ExitInvalid, reason: "the load generator contradicts itself: its totals have 24", done: 247, within: 8 * time.Second,
		},
		"it reports other kinds": {
			through: pipe(&ordertest.Pipe{Bends: func(r order.Report) order.Report {
				if measured(r, 2) {
					r.Interval.Groups[0].Kinds = nil
				}
				return r
			}}),
			status: job.Failed, exit: job.ExitAborted, reason: "does not report the kinds of transaction", done: 57, within: 4 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				duration := cmp.Or(tt.duration, 5*time.Second)
				p := fakePlan(fakeUser{takes: 100 * time.Millisecond}, load.Pacing{Duration: duration, FailureLimit: 1000})
				p.through = tt.through
				seen := &events{}
				began := time.Now()
				result, err := Local{}.perform(t.Context(), job.Run, p, &feed{watchers: []job.Watcher{seen}}, nil)
				if err == nil {
					result.Status = job.Succeeded
				}
				if result.Status != tt.status || job.ExitOf(err) != tt.exit || !strings.Contains(result.Reason, tt.reason) {
					t.Errorf("got %s and exit %d because %q, want %s and %d because %q", result.Status, job.ExitOf(err), result.Reason, tt.status, tt.exit, tt.reason)
				}
				all := result.Summary.All()
				if off := all.Done - tt.done; off < 0 || off > 3 {
					t.Errorf("got %d transactions, want %d, and as many more as there are users", all.Done, tt.done)
				}
				missing := ""
				for _, u := range result.Unobserved {
					missing += u.Error
				}
				if !strings.Contains(missing, tt.unobserved) || tt.unobserved == "" && missing != "" {
					t.Errorf("got %q of what is missing, want %q", missing, tt.unobserved)
				}
				if took := time.Since(began); took > tt.within {
					t.Errorf("the run took %s, want %s at most", took, tt.within)
				}
				time.Sleep(time.Hour) // for all that it has left behind to end
			})
		})
	}
}
