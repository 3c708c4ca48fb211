package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/engine/pool"
	"sledge/internal/job"
)

// pooled adds a pool to a plan. The pool uses the named connections in turn.
func pooled(p plan.Plan, names ...string) plan.Plan {
	table := pool.Table{Lanes: []pool.Lane{{Policy: pool.RoundRobin}}}
	bound := &plan.Pool{}
	for i, name := range names {
		table.Connections = append(table.Connections, pool.Connection{Name: name})
		table.Lanes[0].Connections = append(table.Lanes[0].Connections, i)
		bound.Connections = append(bound.Connections, p.Connection)
	}
	bound.Table = table
	p.Pool = bound
	return p
}

// unreachableAfter returns a plan whose server refuses connections after some time.
func unreachableAfter(p plan.Plan, after time.Duration) plan.Plan {
	d, connect, began := *p.Database, p.Database.Sessions.Connect, time.Now()
	d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
		if time.Since(began) > after {
			return nil, plantest.ErrLost
		}
		return connect(ctx, options, as)
	}
	p.Database = &d
	return p
}

func TestPool_NamesTheUserThatCannotReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooled(plantest.New(plantest.User{Takes: 100 * time.Millisecond, Script: []error{nil, plantest.ErrLost}}, load.Pacing{
			Duration: time.Minute, Reconnect: load.Reconnect{Wanted: true, Limit: 5 * time.Second, Delay: 100 * time.Millisecond},
		}), "a")
		p.Users = 1
		seen := newTranscript()
		_, err := Local{}.perform(t.Context(), job.Run, unreachableAfter(p, 50*time.Millisecond), &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		const why = "no connection for only has come back for 5s, which is what option reconnect_limit allows"
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want %s", err, why)
		}
		for _, want := range []string{"0 Error in Virtual User 2: " + why, "2 FINISHED FAILED"} {
			if !slices.Contains(seen.lines, want) {
				t.Errorf("got\n%s\nwant the line %s", strings.Join(seen.lines, "\n"), want)
			}
		}
	})
}

func TestPool_RehearsalShowsEachTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newTranscript()
		p := pooled(withOutcomes(plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Test: true, MaxIterations: 3})), "a", "b")
		if _, err := (Local{}).perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil); err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, line := range seen.lines {
			if line == "1 Only: 1 {2}" {
				shown++
			}
		}
		if shown != 3 {
			t.Errorf("got\n%s\nwant three transactions", strings.Join(seen.lines, "\n"))
		}
	})
}

// A log-in takes transactions too, which some servers count only at a flush.
func TestSteps_LogInsOfLateUsersAreNotCounted(t *testing.T) {
	for name, of := range map[string]func(plan.Plan) plan.Plan{
		"their own connections": func(p plan.Plan) plan.Plan { return p },
		"pools":                 func(p plan.Plan) plan.Plan { return pooled(p, "a", "b") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, err := inSteps(t, 1, map[string]string{"steps": "0s=1,10s=4"})
				if err != nil {
					t.Fatal(err)
				}
				d, connect := *p.Database, p.Database.Sessions.Connect
				d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
					s, err := connect(ctx, options, as)
					return &loggedIn{Session: s.(plantest.Session), uncounted: 50}, err
				}
				p.Database = &d
				p.Server.Flush = func(_ context.Context, s database.Session) error {
					s.(*loggedIn).tell()
					return nil
				}
				result, err := Local{}.perform(t.Context(), job.Run, of(p), &feed.Feed{}, nil)
				if a := result.CounterAgreement; err != nil || a == nil || a.Client == 0 || !a.Holds {
					t.Errorf("got %+v, %v, want the transactions of the users only", a, err)
				}
			})
		})
	}
}

// loggedIn is a session whose log-in the server has not counted yet.
type loggedIn struct {
	plantest.Session
	uncounted int64
}

func (s *loggedIn) tell() {
	s.Server.Mu.Lock()
	defer s.Server.Mu.Unlock()
	s.Server.Others += s.uncounted + 1 // the flush itself is a transaction
	s.uncounted = 0
}
