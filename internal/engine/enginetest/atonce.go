// Package enginetest tests that a database's virtual users work concurrently.
package enginetest

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// Ask sends a request to a server over a session and waits for the response.
type Ask func(context.Context, database.Session, *sqlfile.Library) error

// UsersWorkAtOnce tests that a database's virtual users wait for the server concurrently. The
// values contain the server's host and port. The test delays every response to ask until all users
// wait for one. If ask is nil, it requests the server's version.
func UsersWorkAtOnce(t *testing.T, d *database.Database, values option.Values, ask Ask) {
	t.Helper()
	real := ask == nil
	if real {
		ask = func(ctx context.Context, s database.Session, sql *sqlfile.Library) error {
			_, err := d.Server(sql).Version(ctx, s)
			return err
		}
	}
	const users, each = 8, 3
	g := &gate{users: users, open: make(chan struct{})}
	values = values.Clone()
	values["host"], values["port"] = g.relay(t, net.JoinHostPort(values["host"], values["port"]))
	values["driver"], values["iterations"] = "test", "3"
	plan, err := plan.New(catalog.Pair{Database: asking(d, ask), Workload: questions(g, ask)},
		job.Spec{Action: job.Run, Users: users, Options: values})
	if err != nil {
		t.Fatal(err)
	}
	if real && d.Container.Create != nil {
		if err := d.Container.Create(t.Context(), plan.Connection, func(job.Event) {}); err != nil {
			t.Fatal(err)
		}
	}
	result, err := engine.Local{Version: "test"}.DoPlan(t.Context(), plan, job.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.most.Load(); got != users {
		t.Errorf("%s: %d users waited for the server at the same time, want %d", d.Name, got, users)
	}
	if all := result.Summary.All(); all.Done != users*each {
		t.Errorf("%s: %d transactions were done, want %d", d.Name, all.Done, users*each)
	}
}

// asking returns a copy of the database with one table. Reading its version calls ask.
func asking(d *database.Database, ask Ask) *database.Database {
	own := *d
	own.Runs, own.Container = database.Runs{}, database.Container{}
	own.Schema = func(*database.Database, *sqlfile.Library, any) database.Schema {
		return database.Schema{Relations: func(context.Context, database.Session) (map[string]database.Relation, error) {
			return map[string]database.Relation{"only": {Kind: "table", Columns: []string{"id"}}}, nil
		}}
	}
	own.Server = func(sql *sqlfile.Library) database.Server {
		return database.Server{
			Version:  func(ctx context.Context, s database.Session) (string, error) { return "1.0", ask(ctx, s, sql) },
			Settings: func(context.Context, database.Session) (map[string]string, error) { return nil, nil },
		}
	}
	return &own
}

// questions returns a workload whose only transaction sends a request to the server.
func questions(g *gate, ask Ask) *workload.Workload {
	return &workload.Workload{
		Name: "questions", Title: "Questions",
		Use:     database.Use{Name: "atonce"},
		Kinds:   []workload.Kind{{Name: "question"}},
		Options: func() any { return &struct{}{} },
		Schema: workload.Schema{
			Tables:   func(any, uint64) []schema.Table { return []schema.Table{{Name: "only"}} },
			Builders: func(any) int { return 1 },
		},
		Users: workload.Users{
			NewTerminal: func(workload.Slot) workload.Terminal { return question{} },
			NewExecutor: func(_ context.Context, c workload.Connection) (workload.Executor, error) {
				return question{g, c, ask}, nil
			},
		},
		Evidence: workload.Evidence{Probe: &workload.Probe{Name: "question", Expected: func(s *meter.Summary) int64 { return s.Kinds[0].Done }}},
	}
}

// question is a terminal and an executor.
type question struct {
	gate *gate
	over workload.Connection
	ask  Ask
}

func (question) Pick() (workload.Transaction, bool) { return workload.Transaction{}, true }

func (q question) Do(ctx context.Context, _ workload.Transaction) error {
	q.gate.enter()
	defer q.gate.leave()
	return q.ask(ctx, q.over.Session, q.over.SQL)
}

// gate delays responses until all users wait for one.
type gate struct {
	users         int32
	waiting, most atomic.Int32
	once          sync.Once
	open          chan struct{} // closed when all users wait
}

func (g *gate) enter() {
	n := g.waiting.Add(1)
	for most := g.most.Load(); n > most && !g.most.CompareAndSwap(most, n); most = g.most.Load() {
	}
	if n == g.users {
		g.once.Do(func() { close(g.open) })
	}
}

func (g *gate) leave() { g.waiting.Add(-1) }

// hold waits until a response may pass. A response that no user waits for, such as during a log-in,
// passes at once.
func (g *gate) hold() {
	const patience = 3 * time.Second
	if g.waiting.Load() == 0 {
		return
	}
	select {
	case <-g.open:
	case <-time.After(patience):
	}
}

// relay listens at the returned address, and forwards traffic between clients and the server.
func (g *gate) relay(t *testing.T, server string) (host, port string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			go g.pass(client, server)
		}
	}()
	host, port, _ = net.SplitHostPort(listener.Addr().String())
	return host, port
}

func (g *gate) pass(client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	go func() {
		defer server.Close()
		_, _ = io.Copy(server, client)
	}()
	buffer := make([]byte, 1<<16)
	for {
		n, err := server.Read(buffer)
		if n > 0 {
			g.hold()
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
