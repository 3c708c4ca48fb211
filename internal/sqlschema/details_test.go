package sqlschema_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/testserver"
	"sledge/internal/top"
)

// A session that is idle in a transaction holds a row for which another one waits.
func TestObserving_NamesHolderAndWaiterOfARow(t *testing.T) {
	for _, name := range []string{"postgresql", "mysql", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, name, testserver.Open(t, name))
			holder, waiter := opened(t, p), opened(t, p)
			id := func(s database.Session) string {
				t.Helper()
				called, err := p.Server.Name(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				return database.SessionID(called)
			}
			holding, waiting := id(holder), id(waiter)
			run := func(text string) {
				t.Helper()
				if err := holder.Exec(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			const schema = "sledge_details"
			run("CREATE SCHEMA " + schema)
			t.Cleanup(func() {
				drop := "DROP SCHEMA " + schema
				if name == "postgresql" {
					drop += " CASCADE"
				}
				if err := holder.Exec(context.Background(), drop); err != nil {
					t.Error(err)
				}
			})
			run("CREATE TABLE " + schema + ".held (a INTEGER PRIMARY KEY)")
			run("INSERT INTO " + schema + ".held VALUES (4711)")
			if err := holder.Begin(t.Context(), database.ReadWrite); err != nil {
				t.Fatal(err)
			}
			run("UPDATE " + schema + ".held SET a = 4711 WHERE a = 4711")
			done := make(chan bool)
			go func() {
				_ = waiter.Exec(context.Background(), "DELETE FROM "+schema+".held WHERE a = 4711") // the holder ends it
				done <- true
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			var last top.Reading
			var found *top.Node
			err := engine.Observing{Job: p.Job, Say: func(line string) { t.Error(line) }, Each: func(r top.Reading) {
				last = r
				for _, root := range r.Blockers() {
					if root.ID == holding && len(root.Waiters) == 1 && root.Waiters[0].ID == waiting {
						found = root
					}
				}
				active, _ := r.Active(database.WaitLock)
				if found != nil && active >= 0.5 && r.Connected != nil && r.Host != nil {
					cancel()
				}
			}}.Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if found == nil {
				t.Fatalf("got the locks %+v and the sessions %+v, want session %s to wait for %s", last.Locks, last.Sessions, waiting, holding)
			}
			below := found.Waiters[0]
			switch {
			case !found.Known || !found.Idle && name != "postgresql" || found.User == "" || found.State == "":
				t.Errorf("got the holder %+v, want it to be known", found.Session)
			case !below.Known || below.Class != database.WaitLock || below.Lock.Object == "" || below.Lock.Seconds == nil || *below.Lock.Seconds > 30:
				t.Errorf("got the waiter %+v with %+v, want a session of the class lock and its lock", below.Session, below.Lock)
			case !strings.Contains(below.Statement, "DELETE FROM sledge_details.held WHERE a = ?") || below.Seconds == nil:
				t.Errorf("got the statement %q for %v seconds, want its text without the value", below.Statement, below.Seconds)
			}
			if active, measured := last.Active(database.WaitLock); !measured || active < 0.5 {
				t.Errorf("got %g sessions in the class lock, %t, want one", active, measured)
			}
			if last.Connected == nil || last.Connected.Now < 2 || last.Connected.Most < last.Connected.Now || last.Server.Version == "" || last.CPUs == 0 {
				t.Errorf("got %+v, %+v and %d CPUs, want the number of sessions, the version and the machine's CPUs", last.Connected, last.Server, last.CPUs)
			}
			for _, part := range []top.Part{top.PartSessions, top.PartLocks, top.PartHost} {
				if why := last.Missing[part]; why != "" {
					t.Errorf("%s is missing: %s", part, why)
				}
			}
			for _, s := range last.Sessions {
				if strings.Contains(s.Statement, "statement_timestamp") || strings.Contains(s.Statement, "PROCESSLIST") {
					t.Errorf("got a session of its own: %+v", s)
				}
			}
			if err := holder.Rollback(t.Context()); err != nil {
				t.Error(err)
			}
			<-done
		})
	}
}
