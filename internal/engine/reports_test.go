package engine

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/order"
	"sledge/internal/engine/order/ordertest"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// Three users end a transaction every 100 ms, for a measured time of 5 s or more. The generator
// fails in different ways. The run always ends, and its result says what it knows.
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
		"an intact pipe": {
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
		"it stops reporting": {
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
			status: job.Invalid, exit: job.ExitInvalid, reason: "the load generator contradicts itself: its totals have 2", done: 247, within: 8 * time.Second,
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
				p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: duration, Failures: load.Failures{Limit: 1000}})
				seen := &events{}
				began := time.Now()
				result, err := Local{Through: tt.through}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
				if err == nil {
					result.Status = job.Succeeded
				}
				if result.Status != tt.status || job.ExitOf(err) != tt.exit || !strings.Contains(result.Reason, tt.reason) {
					t.Errorf("got %s and exit %d because %q, want %s and %d because %q", result.Status, job.ExitOf(err), result.Reason, tt.status, tt.exit, tt.reason)
				}
				all := result.Summary.All()
				if off := all.Done - tt.done; off < 0 || off > 3 {
					t.Errorf("got %d transactions, want %d and at most one more per user", all.Done, tt.done)
				}
				missing := ""
				for _, u := range result.Unobserved {
					missing += u.Error
				}
				if !strings.Contains(missing, tt.unobserved) || tt.unobserved == "" && missing != "" {
					t.Errorf("got %q as unobserved, want %q", missing, tt.unobserved)
				}
				if took := time.Since(began); took > tt.within {
					t.Errorf("the run took %s, want at most %s", took, tt.within)
				}
				time.Sleep(time.Hour) // for all that it has left behind to end
			})
		})
	}
}

// heldSession is a session that knows whether its user works with it.
type heldSession struct {
	plantest.Session
	deaf            bool // Interrupt does nothing
	working, harmed atomic.Bool
}

func (s *heldSession) Interrupt() {
	if !s.deaf {
		s.Session.Interrupt()
	}
}

func (s *heldSession) Close() error {
	if s.working.Load() {
		s.harmed.Store(true)
	}
	return nil
}

// heldUser is a User with its session.
type heldUser struct {
	plantest.User
	session *heldSession
}

func (u *heldUser) Do(ctx context.Context, t workload.Transaction) error {
	u.session.working.Store(true)
	defer u.session.working.Store(false)
	return u.User.Do(ctx, t)
}

// The fourth transaction of each user takes an hour. However the run ends, no session is closed while its user works.
func TestRun_ClosesNoSessionThatAUserWorksWith(t *testing.T) {
	for name, tt := range map[string]struct {
		deaf   bool
		silent bool // the generator reports nothing
		reason string
		within time.Duration
	}{
		"users are aborted":             {reason: "3 transactions had not ended", within: 8 * time.Second},
		"users do not end when aborted": {deaf: true, reason: "its users did not end within 1m0s", within: 3 * time.Minute},
		"the generator falls silent":    {silent: true, reason: "it reported nothing for 15 s", within: 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				user := plantest.User{Takes: 100 * time.Millisecond, Stalls: map[int]time.Duration{3: time.Hour}}
				user.Server = &plantest.Server{Interrupted: make(chan struct{})}
				p := plantest.New(user, load.Pacing{Duration: 5 * time.Second, Failures: load.Failures{Limit: 100}})
				var sessions []*heldSession
				var mu sync.Mutex
				d, work := *p.Database, *p.Workload
				p.Database, p.Workload = &d, &work
				connect := d.Sessions.Connect
				d.Sessions.Connect = func(ctx context.Context, options any, role database.Role) (database.Session, error) {
					s, err := connect(ctx, options, role)
					held := &heldSession{Session: s.(plantest.Session), deaf: tt.deaf}
					mu.Lock()
					defer mu.Unlock()
					sessions = append(sessions, held)
					return held, err
				}
				work.Users.NewExecutor = func(_ context.Context, c workload.Connection) (workload.Executor, error) {
					u := user
					u.Server = c.Session.(*heldSession).Server
					return &heldUser{u, c.Session.(*heldSession)}, nil
				}
				var local Local
				if tt.silent {
					p.Pacing.Duration = time.Minute
					local.Through = func(g order.Generator) order.Generator {
						return &ordertest.Altered{Generator: g, Tells: func(from <-chan order.Report, to chan<- order.Report) {
							for range from {
							}
							close(to)
						}}
					}
				}
				began := time.Now()
				result, err := local.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if err == nil || !strings.Contains(result.Reason, tt.reason) {
					t.Errorf("got %v because %q, want %q", err, result.Reason, tt.reason)
				}
				if all := result.Summary.All(); all.Done != 9 {
					t.Errorf("got %d transactions, want the 9 that ended", all.Done)
				}
				if took := time.Since(began); took > tt.within {
					t.Errorf("the run took %s, want at most %s", took, tt.within)
				}
				for i, s := range sessions {
					if s.harmed.Load() {
						t.Errorf("session %d was closed while its user worked with it", i)
					}
				}
				time.Sleep(2 * time.Hour) // for all that it has left behind to end
			})
		})
	}
}
