package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// lateSession reports its commits to the server's counter on a flush, and otherwise once per second
// after a transaction, as PostgreSQL's sessions do.
type lateSession struct {
	plantest.Session
	pending int64
	last    time.Time
}

func (s *lateSession) commit(now bool) {
	s.pending++
	if now || time.Since(s.last) >= time.Second {
		s.report()
	}
}

func (s *lateSession) report() {
	s.Server.Mu.Lock()
	defer s.Server.Mu.Unlock()
	s.Server.Committed += s.pending
	s.pending, s.last = 0, time.Now()
}

// lateUser is a user whose commits the server counts late.
type lateUser struct {
	session *lateSession
	takes   time.Duration
}

func (u *lateUser) Do(context.Context, workload.Transaction) error {
	time.Sleep(u.takes)
	u.session.commit(false)
	return nil
}

// countLate returns a plan whose server counts commits as late as PostgreSQL does. The log-ins of
// the monitor and of each user are 30 commits each.
func countLate(p plan.Plan, takes func(number int) time.Duration) plan.Plan {
	server := &plantest.Server{}
	var sessions atomic.Int32
	p.Database.Sessions.Connect = func(context.Context, any, database.Role) (database.Session, error) {
		s := &lateSession{Session: plantest.Session{Server: server}}
		if sessions.Add(1) == 1 { // the monitor's session
			s.pending = 30
		}
		return s, nil
	}
	p.Workload.Users.NewExecutor = func(_ context.Context, c workload.Connection) (workload.Executor, error) {
		session := c.Session.(*lateSession)
		for range 30 { // the statements that a client prepares
			session.commit(false)
		}
		return &lateUser{session, takes(c.Number)}, nil
	}
	p.Server.Counter = func(_ context.Context, s database.Session) (int64, error) {
		server.Mu.Lock()
		n := server.Committed
		server.Mu.Unlock()
		s.(*lateSession).report() // after the statement
		return n, nil
	}
	p.Server.Flush = func(_ context.Context, s database.Session) error {
		s.(*lateSession).commit(true)
		return nil
	}
	return p
}

// One slow user delays the flush, and the other users continue to work meanwhile. The server does
// not know that work yet.
func TestRun_ComparesServerCountWithWorkAtFlush(t *testing.T) {
	for name, slowest := range map[string]time.Duration{"all answer": 900 * time.Millisecond, "one is silent": 2300 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := countLate(plantest.New(plantest.User{}, load.Pacing{RampUp: 2 * time.Second, Duration: 5 * time.Second}), func(number int) time.Duration {
					return []time.Duration{10 * time.Millisecond, 10 * time.Millisecond, slowest}[number]
				})
				result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if a := result.CounterAgreement; err != nil || a == nil || !a.Holds || a.Client < 900 || a.Server-a.Client > 5 || a.Client-a.Server > 5 {
					t.Errorf("got %+v, %v, want the server's count within 5 of the users'", a, err)
				}
			})
		})
	}
}

// When a run without a ramp-up reads the server's count, its users are in their first keying time
// and have not flushed their log-ins.
func TestRun_ExcludesLogInsFromTheServersCount(t *testing.T) {
	for name, clients := range map[string]int{"users": 0, "asynchronous clients": 4} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := keyed()
				p.Pacing.RampUp, p.Pacing.Clients.PerUser = 0, clients
				p = countLate(p, func(int) time.Duration { return 100 * time.Millisecond })
				result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil) // the run is invalid, because this server's probe counts the flushes
				terminals := int64(p.Terminals())
				if a := result.CounterAgreement; a == nil || a.Client < 8*terminals || a.Server-a.Client > terminals || a.Client-a.Server > terminals {
					t.Errorf("got %+v, %v, want the server's count within one transaction per terminal of the users'", a, err)
				}
			})
		})
	}
}
