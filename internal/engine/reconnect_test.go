package engine

import (
	"context"
	"errors"
	"fmt"
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
	"sledge/internal/workload"
)

// The other user has ended. Its connection still exists, but must not count as one that a server
// accepted.
func TestReconnect_LastUserGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{
			Test: true, MaxIterations: 3, Reconnect: load.Reconnect{Wanted: true, Limit: 5 * time.Second},
		})
		p.Users = 2
		w, executor := *p.Workload, p.Workload.Users.NewExecutor
		w.Users.NewExecutor = func(ctx context.Context, c workload.Connection) (workload.Executor, error) {
			e, err := executor(ctx, c)
			if c.Number == 1 {
				e.(*plantest.User).Script = []error{nil, plantest.ErrLost}
				e.(*plantest.User).Takes = time.Second // so that the other user ends before this one loses its connection
			}
			return e, err
		}
		p.Workload = &w
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := Local{}.perform(ctx, job.Run, unreachableAfter(p, 50*time.Millisecond), &feed.Feed{}, nil)
		if err == nil || !strings.Contains(err.Error(), "no server has accepted a connection for 5s, which is what option reconnect_limit allows") {
			t.Errorf("got %v, want the error of 5 s without a connection", err)
		}
	})
}

// After a failover the new server may refuse to return its count.
func TestReconnect_RetriesTheCounterOncePerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 10 * time.Second, Reconnect: load.Reconnect{Wanted: true, Limit: time.Minute}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d, connect := *p.Database, p.Database.Sessions.Connect
		var sessions atomic.Int32
		d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
			number := sessions.Add(1)
			if number > 100 {
				cancel()
				return nil, plantest.ErrLost
			}
			s, err := connect(ctx, options, as)
			return &numbered{s.(plantest.Session), number}, err
		}
		p.Database = &d
		counter := p.Server.Counter
		p.Server.Counter = func(ctx context.Context, s database.Session) (int64, error) {
			if s.(*numbered).number > 1 { // the first session is the monitor's
				return 0, errors.New("not allowed")
			}
			return counter(ctx, s)
		}
		if _, err := (Local{}).perform(ctx, job.Run, p, &feed.Feed{}, nil); err != nil {
			t.Error(err)
		}
		// One for the monitor, three for users, and one per second for the count.
		if n := sessions.Load(); n < 10 || n > 16 {
			t.Errorf("got %d sessions in 10 s, want about 15", n)
		}
	})
}

type numbered struct {
	plantest.Session
	number int32
}

// A client whose log-in ends after the abort has interrupted all sessions must be interrupted too.
func TestAbort_InterruptsLateLogIns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := keyed()
		d, connect := *p.Database, p.Database.Sessions.Connect
		var sessions atomic.Int32
		d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
			if sessions.Add(1) > 2 { // the first two are the monitor's and the counter's
				<-time.After(5 * time.Second)
			}
			return connect(ctx, options, as)
		}
		p.Database = &d
		p.Server.Flush = func(ctx context.Context, s database.Session) error {
			select {
			case <-s.(plantest.Session).Server.Interrupted:
			case <-ctx.Done(): // the context of the log-in
			}
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := (Local{}).perform(ctx, job.Run, p, &feed.Feed{}, nil); job.ExitOf(err) != job.ExitStopped {
			t.Errorf("got %v, want the exit code of an aborted run", err)
		}
	})
}

// A run succeeds even if the server's transactions cannot be counted. Its result says why they were
// not counted.
func TestRun_SucceedsWithoutACounter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 10 * time.Second, Reconnect: load.Reconnect{Wanted: true, Limit: time.Minute}})
		var asked atomic.Int32
		p.Server.Counter = func(context.Context, database.Session) (int64, error) {
			asked.Add(1)
			return 0, fmt.Errorf("counter: %w", &database.UncountedError{Text: "the server keeps none", Err: errors.New("no such view")})
		}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil || result.Uncounted != "the server keeps none" || result.CounterAgreement != nil || result.Summary.All().Done == 0 {
			t.Errorf("got %v, %q, the agreement %+v and %d transactions", err, result.Uncounted, result.CounterAgreement, result.Summary.All().Done)
		}
		if n := asked.Load(); n != 3 {
			t.Errorf("the count was requested %d times, want 3: once by each reading of the monitor and once for the rate", n)
		}
	})
}

// A log-in takes transactions too, which the server counts and the users do not.
func TestReconnect_DiscardsACountWithLogIns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := make([]error, 20)
		script[10] = plantest.ErrLost
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond, Script: script}, load.Pacing{
			Duration: 10 * time.Second, Reconnect: load.Reconnect{Wanted: true, Limit: time.Minute, Delay: time.Millisecond},
		})
		d, connect := *p.Database, p.Database.Sessions.Connect
		d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
			s, err := connect(ctx, options, as)
			server := s.(plantest.Session).Server
			server.Mu.Lock()
			defer server.Mu.Unlock()
			server.Others += 10
			return s, err
		}
		p.Database = &d
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if want := "virtual users logged in again, which takes transactions too"; err != nil || result.Uncounted != want || result.CounterAgreement != nil {
			t.Errorf("got %v, the agreement %+v and %q, want %q", err, result.CounterAgreement, result.Uncounted, want)
		}
	})
}
