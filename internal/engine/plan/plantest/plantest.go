// Package plantest provides plans for tests of time, order and counts. Users take a fixed time for
// each transaction, and a server in memory counts commits. SQL is tested on real servers.
package plantest

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"sync"
	"testing/fstest"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// Session is a session of a Server. It answers queries at once.
type Session struct {
	database.Session
	Server *Server
}

// Query answers the query of the probe.
func (s Session) Query(_ context.Context, text string, _ int) (database.Table, error) {
	s.Server.Mu.Lock()
	defer s.Server.Mu.Unlock()
	if text == "probe" {
		return database.Table{Rows: [][]string{{strconv.FormatInt(s.Server.Committed, 10)}}}, nil
	}
	return database.Table{}, nil
}

// Rollback implements database.Session.
func (s Session) Rollback(context.Context) error { return nil }

// Interrupt ends the transactions of all users.
func (s Session) Interrupt() { s.Server.interrupt() }

// Close implements database.Session.
func (s Session) Close() error { return nil }

// Server counts commits, as a real server would.
type Server struct {
	Mu          sync.Mutex
	Committed   int64
	Others      int64         // commits of other programs
	Interrupted chan struct{} // closed when users are interrupted
	once        sync.Once
}

func (s *Server) interrupt() { s.once.Do(func() { close(s.Interrupted) }) }

// User is a terminal and an executor whose transactions take a fixed time. The errors of the script
// are the outcomes of its transactions, again and again.
type User struct {
	Server   *Server
	Takes    time.Duration // time of a transaction
	Keying   time.Duration
	Thinking time.Duration
	Script   []error
	Stalls   map[int]time.Duration // time of some transactions, by their number from 0
	next     int

	Cancelled chan struct{} // a value makes the call in flight fail
}

// Errors of transactions, one for each class of failure.
var (
	ErrDeadlock = errors.New("deadlock")
	ErrLost     = errors.New("connection lost")
	ErrBroken   = errors.New("broken rule")
	ErrDenied   = errors.New("denied")
)

// Pick implements workload.Terminal.
func (u *User) Pick() (workload.Transaction, bool) {
	return workload.Transaction{Keying: u.Keying, Thinking: u.Thinking}, true
}

// Do implements workload.Executor.
func (u *User) Do(context.Context, workload.Transaction) error {
	takes := u.Takes
	if stall, ok := u.Stalls[u.next]; ok {
		takes = stall
	}
	select {
	case <-time.After(takes):
	case <-u.Server.Interrupted:
		return ErrLost
	case <-u.Cancelled:
		return ErrBroken
	}
	var err error
	if len(u.Script) > 0 {
		err = u.Script[u.next%len(u.Script)]
	}
	u.next++
	if err == nil {
		u.Server.Mu.Lock()
		u.Server.Committed++
		u.Server.Mu.Unlock()
	}
	return err
}

// New returns the plan of a run with three users like u, over sessions of one server.
func New(u User, pacing load.Pacing) plan.Plan {
	u.Server = &Server{Interrupted: make(chan struct{})}
	if pacing.MaxIterations == 0 {
		pacing.MaxIterations = 1 << 40
	}
	d := &database.Database{
		Name: "fake", Title: "Fake",
		Options: database.Options{
			New:    func(database.Use) any { return &struct{}{} },
			Target: func(any) string { return "fake" },
		},
		Sessions: database.Sessions{
			Connect: func(context.Context, any, database.Role) (database.Session, error) {
				return Session{Server: u.Server}, nil
			},
			Classify: func(err error) meter.Class {
				switch {
				case errors.Is(err, ErrDeadlock):
					return meter.Deadlock
				case errors.Is(err, ErrLost):
					return meter.Connection
				case errors.Is(err, ErrDenied):
					return meter.Permission
				}
				return meter.Constraint
			},
		},
		SQL: fakeSQL,
		Schema: func(*database.Database, *sqlfile.Library, any) database.Schema {
			return database.Schema{Relations: func(context.Context, database.Session) (map[string]database.Relation, error) {
				return map[string]database.Relation{"only": {Kind: "table", Columns: []string{"id"}}}, nil
			}}
		},
		Server: func(*sqlfile.Library) database.Server { return u.Server.Answers() },
	}
	w := &workload.Workload{
		Name: "fake", Title: "Fake",
		Kinds:   []workload.Kind{{Name: "only"}},
		Options: func() any { return &struct{}{} },
		Schema: workload.Schema{
			Tables:   func(any, uint64) []schema.Table { return []schema.Table{{Name: "only"}} },
			Builders: func(any) int { return 1 },
		},
		Users: workload.Users{
			NewTerminal: func(workload.Slot) workload.Terminal { u := u; return &u },
			NewExecutor: func(context.Context, workload.Connection) (workload.Executor, error) { u := u; return &u, nil },
		},
		Evidence: workload.Evidence{Probe: &workload.Probe{Name: "only", Expected: func(s *meter.Summary) int64 { return s.Kinds[0].Done }}},
		Score: workload.Score{Of: func(w workload.Window) []job.Metric {
			if !w.Probed {
				return nil
			}
			return []job.Metric{{Name: "NOPM", Value: 1}, {Name: "TPM", Value: 2}}
		}},
	}
	p, err := plan.New(catalog.Pair{Database: d, Workload: w}, job.Spec{Users: 3, Options: option.Values{}})
	if err != nil {
		panic(err)
	}
	p.Grace = 2 * time.Second
	p.Pacing = pacing // without event loops, which do not use synctest's clock
	return p
}

var fakeSQL fs.FS = fstest.MapFS{"sql/probe.sql": {Data: []byte("probe")}}

// Answers returns the server's functions.
func (s *Server) Answers() database.Server {
	return database.Server{
		Version: func(context.Context, database.Session) (string, error) {
			select {
			case <-s.Interrupted:
				return "", ErrLost
			default:
				return "1.0", nil
			}
		},
		Settings: func(context.Context, database.Session) (map[string]string, error) { return nil, nil },
		Counter: func(context.Context, database.Session) (int64, error) {
			s.Mu.Lock()
			defer s.Mu.Unlock()
			return s.Committed + s.Others, nil
		},
	}
}

// Watcher adapts a function to job.Watcher.
type Watcher func(job.Event)

// Watch implements job.Watcher.
func (w Watcher) Watch(e job.Event) { w(e) }
