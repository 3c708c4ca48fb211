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

// Connections of users who have ended are there, but not in use.
func TestTheLastUserDoesNotConnectAgainForEver(t *testing.T) {
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
				e.(*plantest.User).Takes = time.Second // the other has ended before it loses its connection
			}
			return e, err
		}
		p.Workload = &w
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := Local{}.perform(ctx, job.Run, unreachableAfter(p, 50*time.Millisecond), &feed.Feed{}, nil)
		if err == nil || !strings.Contains(err.Error(), "no server has taken a connection for 5s, which is what option reconnect_limit allows") {
			t.Errorf("got %v, want that no server took a connection for 5 s", err)
		}
	})
}

// A server that has been taken over may refuse to say what it counts.
func TestACountThatCannotBeReadIsAskedForOnceASecond(t *testing.T) {
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
			if s.(*numbered).number > 1 { // the first is the monitor's
				return 0, errors.New("not allowed")
			}
			return counter(ctx, s)
		}
		if _, err := (Local{}).perform(ctx, job.Run, p, &feed.Feed{}, nil); err != nil {
			t.Error(err)
		}
		// The monitor, three users, and one a second for the count.
		if n := sessions.Load(); n < 10 || n > 16 {
			t.Errorf("%d sessions were opened in ten seconds, want about 15", n)
		}
	})
}

type numbered struct {
	plantest.Session
	number int32
}

// A client that connects while sessions are interrupted is not among the interrupted ones.
func TestAClientThatLogsInTooLateIsInterruptedAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := keyed()
		d, connect := *p.Database, p.Database.Sessions.Connect
		var sessions atomic.Int32
		d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
			if sessions.Add(1) > 2 { // of which one is the monitor's, and one reads the count
				<-time.After(5 * time.Second)
			}
			return connect(ctx, options, as)
		}
		p.Database = &d
		p.Server.Flush = func(ctx context.Context, s database.Session) error {
			select {
			case <-s.(plantest.Session).Server.Interrupted:
			case <-ctx.Done(): // as long as it logs in
			}
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := (Local{}).perform(ctx, job.Run, p, &feed.Feed{}, nil); job.ExitOf(err) != job.ExitStopped {
			t.Errorf("got %v, want that the run was aborted", err)
		}
	})
}

// A run needs no count of the server's: it says why it goes without.
func TestARunGoesWithoutACountThatTheServerDoesNotShow(t *testing.T) {
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
			t.Errorf("it was asked %d times, want once by each reading of the monitor, and once for the rate", n)
		}
	})
}

// To log in takes transactions, too, which the server counts and no user.
func TestACountThatHoldsLoginsIsNotUsed(t *testing.T) {
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
		if want := "virtual users logged in again, which takes transactions, too"; err != nil || result.Uncounted != want || result.CounterAgreement != nil {
			t.Errorf("got %v, the agreement %+v and %q, want %q", err, result.CounterAgreement, result.Uncounted, want)
		}
	})
}
