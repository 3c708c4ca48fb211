package engine

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/option"
)

// onLoops gives each session of a plan a connection to a TCP echo server, so that their users can
// run on event loops.
func onLoops(t *testing.T, p *plan.Plan) {
	t.Helper()
	if !loop.Supported() {
		t.Skip("there are no event loops on this system")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	d, connect := *p.Database, p.Database.Sessions.Connect
	d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
		s, err := connect(ctx, options, as)
		if err != nil {
			return nil, err
		}
		conn, err := loop.Dial(ctx, new(net.Dialer), "tcp", listener.Addr().String())
		return &dialedSession{s, conn}, err
	}
	p.Database = &d
	p.Server.Version = func(_ context.Context, s database.Session) (string, error) {
		conn := s.(*dialedSession).conn
		if _, err := conn.Write([]byte("?")); err != nil {
			return "", err
		}
		_, err := conn.Read(make([]byte, 1))
		return "1.0", err
	}
}

// dialedSession is a session with a connection.
type dialedSession struct {
	database.Session
	conn net.Conn
}

func (s *dialedSession) Close() error { return errors.Join(s.Session.Close(), s.conn.Close()) }

// The driver does not block its thread, but the transactions do. So one user blocks an event loop
// for the others.
func TestRun_IsInvalidWithIdleUsers(t *testing.T) {
	p := plantest.New(plantest.User{Takes: time.Millisecond}, load.Pacing{Duration: 1200 * time.Millisecond, Connections: load.Connections{Loops: 1}})
	onLoops(t, &p)
	p.Users = 6
	result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
	const want = "5 of 6 virtual users did no transaction; other users of their event loop did not let them run: set option loops to 0"
	if err == nil || !strings.Contains(err.Error(), want) || result.Status != job.Invalid || job.ExitOf(err) != job.ExitInvalid {
		t.Errorf("got status %s and %v, want an invalid run: %s", result.Status, err, want)
	}
	if got := result.Idle; got == nil || got.Idle != 5 || got.Of != 6 || !strings.Contains(want, got.Why) {
		t.Errorf("got %+v, want 5 of 6", got)
	}
}

func TestRun_CountsNoWaitingUsersAsIdle(t *testing.T) {
	rate := func(p *plan.Plan) {
		options := load.NewOptions()
		if err := option.Bind(nil, option.Values{"rate": "0.2/s", "arrivals": "constant", "rampup": "0"}, options); err != nil {
			t.Fatal(err)
		}
		p.Pacing.Rate.Arrivals = options.Pacing().Rate.Arrivals
	}
	for _, tt := range []struct {
		name   string
		user   plantest.User
		pacing load.Pacing
		change func(*plan.Plan)
	}{
		{name: "keying times are longer than the run", user: plantest.User{Keying: time.Hour}},
		{name: "the rate has fewer arrivals than users", change: rate},
		{name: "users start later than the run ends", pacing: load.Pacing{Shifts: load.Shifts{UserDelay: time.Minute}}},
		{name: "one user holds the shared connection", user: plantest.User{Takes: 9 * time.Second}, pacing: load.Pacing{Connections: load.Connections{Shared: 1}}},
		{name: "users have completed their iterations", pacing: load.Pacing{MaxIterations: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.user.Takes == 0 {
					tt.user.Takes = 100 * time.Millisecond
				}
				tt.pacing.Duration = 10 * time.Second
				p := plantest.New(tt.user, tt.pacing)
				p.Users = 20
				if tt.change != nil {
					tt.change(&p)
				}
				result, _ := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if got := result.Idle; got == nil || *got != (job.IdleUsers{Of: 20}) {
					t.Errorf("got %+v, want none of 20: %s", got, result.Reason)
				}
			})
		})
	}
}

// A driver that blocks its threads, such as Db2's, has no connection that an event loop could wait
// for.
func TestRun_UsesGoroutinesForABlockingDriver(t *testing.T) {
	if !loop.Supported() {
		t.Skip("there are no event loops on this system")
	}
	user := plantest.User{Takes: time.Hour}
	p := plantest.New(user, load.Pacing{Duration: 100 * time.Millisecond, Connections: load.Connections{Loops: load.Automatic}})
	p.Users, p.Grace = 6, 0
	result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
	if len(result.Waiting) != 6 || result.Idle == nil || result.Idle.Idle != 0 {
		t.Errorf("got %d users with a transaction in flight, and %+v: %v; want all 6 to work as goroutines", len(result.Waiting), result.Idle, err)
	}
	p = plantest.New(user, load.Pacing{Duration: 100 * time.Millisecond, Connections: load.Connections{Loops: 1}})
	p.Spec.Options = option.Values{"loops": "1"}
	_, err = Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
	const want = "option loops: virtual users of Fake cannot share event loops: its driver has no connection that an event loop could wait for. Set it to auto or 0"
	if err == nil || err.Error() != want || job.ExitOf(err) != job.ExitUsage {
		t.Errorf("with one loop: got %v, want %s", err, want)
	}
}
