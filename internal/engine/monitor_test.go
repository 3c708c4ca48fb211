package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

// brittleSession is a session whose probe may fail.
type brittleSession struct {
	plantest.Session
	probe func() error // the error of a reading
}

func (s *brittleSession) Query(ctx context.Context, text string, limit int) (database.Table, error) {
	if text == "probe" {
		if err := s.probe(); err != nil {
			return database.Table{}, err
		}
	}
	return s.Session.Query(ctx, text, limit)
}

// The session that reads the counts fails in each way that a server can make it fail. Virtual users
// are not affected, so their measurements are valid.
func TestRun_SucceedsWithoutItsMonitor(t *testing.T) {
	errSerial := errors.New("could not serialize access")
	for _, tt := range []struct {
		name   string
		probe  func(n int) error // of reading number n
		refuse int               // number of sessions that can be opened; 0 sets no limit
		want   string            // why there is no probe; "" if there is one
	}{
		{"it cannot serialize", func(n int) error {
			return []error{plantest.ErrDeadlock, nil, plantest.ErrDeadlock, plantest.ErrDeadlock, nil}[n]
		}, 0, ""},
		{"the server ends it once", func(n int) error { return []error{plantest.ErrLost, nil, nil}[n] }, 0, ""},
		{"the server ends it twice", func(n int) error { return []error{plantest.ErrLost, nil, plantest.ErrLost, nil}[n] }, 0, ""},
		{"the server ends it and accepts no other", func(int) error { return plantest.ErrLost }, 4, "connection lost"},
		{"it has no privilege to read", func(int) error { return errSerial }, 0, "could not serialize access"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := plantest.User{Takes: 100 * time.Millisecond}
				p := plantest.New(u, load.Pacing{RampUp: 2 * time.Second, Duration: 3 * time.Second})
				p.Server.Counter = nil    // it uses another session
				var sessions atomic.Int32 // users connect in parallel
				readings := 0
				connect := p.Database.Sessions.Connect
				p.Database.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
					s, err := connect(ctx, options, as)
					if number := sessions.Add(1); tt.refuse > 0 && int(number) > tt.refuse {
						return nil, plantest.ErrLost
					}
					return &brittleSession{s.(plantest.Session), func() error { readings++; return tt.probe(readings - 1) }}, err
				}
				result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if err != nil || result.Summary.All().Done < 85 || result.Summary.All().Done > 95 || result.Status == job.Failed {
					t.Errorf("got %q, %d done, %v; want a run that succeeds", result.Status, result.Summary.All().Done, err)
				}
				if a := result.Agreement; (a != nil) != (tt.want == "") || a != nil && !a.Holds && !a.Vague {
					t.Errorf("got the agreement %+v", a)
				}
				if !strings.Contains(result.Unprobed, tt.want) || (result.Unprobed == "") != (tt.want == "") {
					t.Errorf("got %q as the reason for the missing probe, want %q", result.Unprobed, tt.want)
				}
			})
		})
	}
}

// While the counter's session is lost, the seconds have no server rate instead of an old one.
func TestRun_HasNoRateWhileTheCounterIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 20 * time.Second})
		counter, began := p.Server.Counter, time.Now()
		p.Server.Counter = func(ctx context.Context, s database.Session) (int64, error) {
			if passed := time.Since(began); passed > 4500*time.Millisecond && passed < 9500*time.Millisecond {
				return 0, plantest.ErrLost
			}
			return counter(ctx, s)
		}
		var rates []bool
		seen := plantest.Watcher(func(e job.Event) {
			if e.Second != nil {
				rates = append(rates, e.Second.ServerTPM != nil)
			}
		})
		if _, err := (Local{}).perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil); err != nil {
			t.Fatal(err)
		}
		if len(rates) != 20 || !slices.Contains(rates[:4], true) || slices.Contains(rates[6:9], true) || !slices.Contains(rates[12:], true) {
			t.Errorf("got seconds with a rate %t, want no rate from 5 to 10 s", rates)
		}
	})
}
