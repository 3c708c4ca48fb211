package sqlschema_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/testserver"
)

// sleeps has, for each server, a statement that waits without a lock.
var sleeps = map[string]string{"postgresql": "SELECT pg_sleep(30)", "mysql": "DO SLEEP(30)", "mariadb": "DO SLEEP(30)"}

func TestActivity_TellsWhatSessionsWaitFor(t *testing.T) {
	for name, sleep := range sleeps {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, name, testserver.Open(t, name))
			monitor, holder, waiter, sleeper := opened(t, p), opened(t, p), opened(t, p), opened(t, p)
			run := func(s database.Session, text string) {
				t.Helper()
				if err := s.Exec(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			schema := "sledge_activity"
			if name != "postgresql" {
				run(holder, "CREATE DATABASE IF NOT EXISTS "+schema)
			} else {
				run(holder, "CREATE SCHEMA IF NOT EXISTS "+schema)
			}
			t.Cleanup(func() {
				drop := "DROP SCHEMA " + schema
				if name == "postgresql" {
					drop += " CASCADE"
				}
				if err := holder.Exec(context.Background(), drop); err != nil {
					t.Error(err)
				}
			})
			run(holder, "CREATE TABLE "+schema+".held (a INTEGER PRIMARY KEY)")
			run(holder, "INSERT INTO "+schema+".held VALUES (1)")
			if err := holder.Begin(t.Context(), database.ReadWrite); err != nil {
				t.Fatal(err)
			}
			run(holder, "UPDATE "+schema+".held SET a = 1 WHERE a = 1")
			done := make(chan bool, 2)
			for s, text := range map[database.Session]string{waiter: "DELETE FROM " + schema + ".held WHERE a = 1", sleeper: sleep} {
				go func() {
					_ = s.Exec(context.Background(), text) // it is aborted
					done <- true
				}()
			}

			var list []database.ActiveSession
			class := func(text string) (class database.WaitClass) {
				for _, one := range list {
					if strings.Contains(one.Statement, text) && !one.Background {
						class, _ = p.Database.Runs.Waits.Class(one.Wait)
					}
				}
				return class
			}
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				var err error
				if list, err = p.Server.Activity(t.Context(), monitor); err != nil {
					t.Fatal(err)
				}
				if p.Server.RowWaiters != nil {
					ids, err := p.Server.RowWaiters(t.Context(), monitor)
					if err != nil {
						t.Fatal(err)
					}
					for i := range list {
						if slices.Contains(ids, list[i].ID) {
							list[i].Wait = database.RowLock
						}
					}
				}
				if class("DELETE") == database.WaitLock && class("30") == database.WaitThrottle {
					break
				}
			}
			if class("DELETE") != database.WaitLock || class("30") != database.WaitThrottle {
				t.Errorf("got %+v, want a session that waits for a lock and one that sleeps", list)
			}
			if name == "postgresql" && class("UPDATE") != database.WaitNetwork {
				t.Errorf("got %+v, want the session with an open transaction to wait for its client", list)
			}
			if err := holder.Rollback(t.Context()); err != nil {
				t.Error(err)
			}
			sleeper.Interrupt()
			<-done
			<-done
		})
	}
}

// Each event that the server lists has a class by a rule.
func TestWaits_ClassAllEventsOfPostgreSQL(t *testing.T) {
	p := planOf(t, "postgresql", testserver.Open(t, "postgresql", testserver.Version("18")))
	events, err := opened(t, p).Query(t.Context(), "SELECT type || '/' || name FROM pg_wait_events", 0)
	if err != nil || len(events.Rows) < 200 {
		t.Fatalf("got %d events, %v", len(events.Rows), err)
	}
	classes := map[database.WaitClass]int{}
	for _, row := range events.Rows {
		class, known := p.Database.Runs.Waits.Class(row[0])
		if classes[class]++; !known {
			t.Errorf("%s has no class", row[0])
		}
	}
	for _, class := range []database.WaitClass{database.WaitLock, database.WaitLog, database.WaitRead, database.WaitWrite, database.WaitLatch, database.WaitCommit, database.WaitNetwork, database.WaitParallel, database.WaitThrottle, database.WaitIdle} {
		if classes[class] == 0 {
			t.Errorf("no event has the class %s: %v", class, classes)
		}
	}
}
