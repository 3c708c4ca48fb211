package sqlschema_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/database/mysql"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/testserver"
)

// detailedMariaDB are the settings with which MariaDB has what MySQL has by default, and waits.
var detailedMariaDB = []testserver.Option{
	testserver.Setting("performance_schema=ON"),
	testserver.Setting("performance_schema_consumer_events_statements_current=ON"),
	testserver.Setting("performance_schema_consumer_events_waits_current=ON"),
}

// A session holds a row, another waits for it, in a routine where that can be seen, and a third sleeps.
func TestActivity_TellsWhatSessionsWaitFor(t *testing.T) {
	consumer := func(name, enabled string) string {
		return "UPDATE performance_schema.setup_consumers SET ENABLED = '" + enabled + "' WHERE NAME = '" + name + "'"
	}
	for _, tt := range []struct {
		name, database string
		options        []testserver.Option
		set, reset     string // the server's consumers
		lacking        string // why the best way is not possible
		coarse         string // what the way does not tell
		inner, blocker bool   // are known
	}{
		{name: "postgresql", database: "postgresql", blocker: true},
		{name: "mysql", database: "mysql", coarse: "has events_waits_current off", inner: true, blocker: true},
		{
			name: "mysql with waits", database: "mysql", inner: true, blocker: true,
			set: consumer("events_waits_current", "YES"), reset: consumer("events_waits_current", "NO"),
		},
		{
			name: "mysql without statements", database: "mysql", lacking: "has events_statements_current off",
			set: consumer("events_statements_current", "NO"), reset: consumer("events_statements_current", "YES"),
		},
		{name: "mariadb", database: "mariadb", lacking: "performance_schema is off", blocker: true},
		{name: "mariadb with waits", database: "mariadb", options: detailedMariaDB, inner: true, blocker: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planOf(t, tt.database, testserver.Open(t, tt.database, tt.options...))
			setUp, monitor := opened(t, p), opened(t, p)
			run := func(s database.Session, text string) {
				t.Helper()
				if err := s.Exec(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			later := func(text string) {
				t.Cleanup(func() {
					if err := setUp.Exec(context.Background(), text); err != nil {
						t.Error(err)
					}
				})
			}
			sleep, call := "SELECT pg_sleep(30)", "DELETE FROM sledge_activity.held WHERE a = 1"
			if tt.set != "" {
				run(setUp, tt.set)
				later(tt.reset)
			}
			run(setUp, "CREATE SCHEMA sledge_activity")
			later(map[bool]string{true: "DROP SCHEMA sledge_activity CASCADE", false: "DROP SCHEMA sledge_activity"}[tt.database == "postgresql"])
			run(setUp, "CREATE TABLE sledge_activity.held (a INTEGER PRIMARY KEY)")
			run(setUp, "INSERT INTO sledge_activity.held VALUES (1)")
			if tt.database != "postgresql" {
				run(setUp, "CREATE PROCEDURE sledge_activity.take() BEGIN "+call+"; END")
				sleep, call = "DO SLEEP(30)", "CALL sledge_activity.take()"
			}
			holder, waiter, sleeper := opened(t, p), opened(t, p), opened(t, p)
			if err := holder.Begin(t.Context(), database.ReadWrite); err != nil {
				t.Fatal(err)
			}
			run(holder, "UPDATE sledge_activity.held SET a = 1 WHERE a = 1")
			done := make(chan bool, 2)
			for s, text := range map[database.Session]string{waiter: call, sleeper: sleep} {
				go func() {
					_ = s.Exec(context.Background(), text) // it is aborted
					done <- true
				}()
			}

			way := p.Server.Activity[0]
			if way.Lacking != nil {
				lacking, err := way.Lacking(t.Context(), monitor)
				if err != nil || lacking == "" != (tt.lacking == "") || !strings.Contains(lacking, tt.lacking) {
					t.Errorf("got %q, %v, want the reason %q", lacking, err, tt.lacking)
				}
				if lacking != "" {
					way = p.Server.Activity[1]
				}
			}
			if way.Coarse != nil {
				coarse, err := way.Coarse(t.Context(), monitor)
				if err != nil || coarse == "" != (tt.coarse == "") || !strings.Contains(coarse, tt.coarse) {
					t.Errorf("got %q, %v, want the reason %q", coarse, err, tt.coarse)
				}
			}
			id := func(s database.Session) string {
				name, err := p.Server.Name(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				return database.SessionID(name)
			}
			list, of := activeUntil(t, p, way, monitor, func(waits, sleeps database.ActiveSession) bool {
				return classOf(p, waits) == database.WaitLock && classOf(p, sleeps) == database.WaitThrottle
			})
			waits, sleeps := of("take()", "DELETE"), of(sleep) // the process list shows the statement in the routine
			if classOf(p, waits) != database.WaitLock || classOf(p, sleeps) != database.WaitThrottle {
				t.Errorf("got %+v, want a session that waits for a lock and one that sleeps", list)
			}
			if waits.Inner != "" != tt.inner || tt.inner && !strings.Contains(waits.Inner, "DELETE FROM sledge_activity") {
				t.Errorf("got the inner statement %q", waits.Inner)
			}
			if tt.blocker && !slices.Equal(waits.Blockers, []string{id(holder)}) || !tt.blocker && len(waits.Blockers) > 0 || len(sleeps.Blockers) > 0 {
				t.Errorf("got the blockers %q, want %s", waits.Blockers, id(holder))
			}
			if !tt.inner && tt.database == "mysql" {
				if !waits.Since.IsZero() {
					t.Errorf("got the time %v, which the process list of MySQL does not know", waits.Since)
				}
			} else if age := waits.Now.Sub(waits.Since); age < 0 || age > time.Minute || waits.Asked.After(waits.Now) {
				t.Errorf("got a session that began %v before %v", age, waits.Now)
			}
			if holds := of("UPDATE"); tt.database == "postgresql" && classOf(p, holds) != database.WaitNetwork {
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

func classOf(p plan.Plan, s database.ActiveSession) database.WaitClass {
	if s.ID == "" {
		return ""
	}
	class, _ := p.Database.Runs.Waits.Class(s.Wait)
	return class
}

// activeUntil lists the active sessions until two of them are as they should be. The function that it returns
// finds the session with a statement.
func activeUntil(t *testing.T, p plan.Plan, way database.Activity, monitor database.Session, arrived func(waits, sleeps database.ActiveSession) bool) ([]database.ActiveSession, func(texts ...string) database.ActiveSession) {
	t.Helper()
	var list []database.ActiveSession
	of := func(texts ...string) database.ActiveSession {
		for _, one := range list {
			if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(one.Statement, text) }) && !one.Background {
				return one
			}
		}
		return database.ActiveSession{}
	}
	// MariaDB renews its list of waits for rows only if no session has read it for 0.1 s.
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(250 * time.Millisecond) {
		var err error
		if list, err = way.List(t.Context(), monitor); err != nil {
			t.Fatal(err)
		}
		if way.Blocked != nil {
			blocked, err := way.Blocked(t.Context(), monitor)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range blocked {
				if i := slices.IndexFunc(list, func(s database.ActiveSession) bool { return s.ID == one.ID }); i >= 0 {
					list[i].Wait = database.RowLock
					if one.Blocker != "" {
						list[i].Blockers = append(list[i].Blockers, one.Blocker)
					}
				}
			}
		}
		if arrived(of("take()", "DELETE"), of("30")) {
			break
		}
	}
	return list, of
}

// Without a privilege on performance_schema a user gets an error, and not an empty list.
func TestActivity_RefusesTheDetailedWayWithoutItsPrivilege(t *testing.T) {
	server := testserver.Open(t, "mysql")
	p := planOf(t, "mysql", server)
	s := opened(t, p)
	for _, text := range []string{"CREATE USER IF NOT EXISTS sledge_blind IDENTIFIED WITH mysql_native_password BY 'sledge_blind'", "GRANT SELECT ON mysql.* TO sledge_blind"} {
		if err := s.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = s.Exec(context.Background(), "DROP USER sledge_blind") })
	values := server.Values()
	values["user"], values["password"] = "sledge_blind", "sledge_blind"
	other, err := engine.Local{Catalog: edition.Catalog}.Plan(job.Spec{Database: "mysql", Workload: "tprocc", Options: values})
	if err != nil {
		t.Fatal(err)
	}
	blind := opened(t, other)
	if _, err := p.Server.Activity[0].Lacking(t.Context(), blind); err == nil || p.Database.Sessions.Classify(err) != meter.Permission {
		t.Errorf("got %v, want that the privilege is missing", err)
	}
	if _, err := p.Server.Activity[1].List(t.Context(), blind); err != nil {
		t.Error(err)
	}
}

// Each event that the server lists has a class by a rule.
func TestWaits_ClassAllEventsOfServers(t *testing.T) {
	const ofFiles = "SELECT CONCAT(NAME, IF(NAME LIKE 'wait/io/file/%', '/sync', '')) FROM performance_schema.setup_instruments WHERE NAME LIKE 'wait/%'"
	for _, tt := range []struct {
		database, query string
		options         []testserver.Option
		waits           database.Waits // of the database if nil
		least           int            // number of events
		want            []database.WaitClass
	}{
		{
			"postgresql", "SELECT type || '/' || name FROM pg_wait_events",
			[]testserver.Option{testserver.Version("18")},
			nil, 200,
			[]database.WaitClass{database.WaitLock, database.WaitLog, database.WaitRead, database.WaitWrite, database.WaitLatch, database.WaitCommit, database.WaitNetwork, database.WaitParallel, database.WaitThrottle, database.WaitIdle},
		},
		{
			"mysql", ofFiles, nil, mysql.Instruments, 300,
			[]database.WaitClass{database.WaitLock, database.WaitLog, database.WaitWrite, database.WaitLatch, database.WaitCommit, database.WaitNetwork, database.WaitThrottle, database.WaitCPU},
		},
		{
			"mariadb", ofFiles, detailedMariaDB, mysql.Instruments, 200,
			[]database.WaitClass{database.WaitLock, database.WaitLog, database.WaitWrite, database.WaitLatch, database.WaitCommit, database.WaitNetwork, database.WaitThrottle, database.WaitCPU},
		},
	} {
		t.Run(tt.database, func(t *testing.T) {
			p := planOf(t, tt.database, testserver.Open(t, tt.database, tt.options...))
			events, err := opened(t, p).Query(t.Context(), tt.query, 0)
			if err != nil || len(events.Rows) < tt.least {
				t.Fatalf("got %d events, %v", len(events.Rows), err)
			}
			waits := tt.waits
			if waits == nil {
				waits = p.Database.Runs.Waits
			}
			classes := map[database.WaitClass]int{}
			for _, row := range events.Rows {
				class, known := waits.Class(row[0])
				if classes[class]++; !known {
					t.Errorf("%s has no class", row[0])
				}
			}
			for _, class := range tt.want {
				if classes[class] == 0 {
					t.Errorf("no event has the class %s: %v", class, classes)
				}
			}
		})
	}
}

func TestWaits_ClassFilesByOperation(t *testing.T) {
	for wait, want := range map[string]database.WaitClass{
		"wait/io/file/innodb/innodb_data_file/read":  database.WaitRead,
		"wait/io/file/innodb/innodb_data_file/write": database.WaitWrite,
		"wait/io/file/innodb/innodb_log_file/sync":   database.WaitLog,
		"wait/io/file/sql/binlog/sync":               database.WaitLog,
		"wait/io/table/sql/handler":                  database.WaitCPU,
		"wait/lock/metadata/sql/mdl":                 database.WaitLock,
		"wait/new/kind":                              database.WaitOther,
		"updating":                                   database.WaitCPU,
	} {
		if class, _ := mysql.Waits.Class(wait); class != want {
			t.Errorf("%s: got %s, want %s", wait, class, want)
		}
	}
}

// No test runs on these servers, so the names are those of their manuals.
func TestWaits_ClassWaitsOfServersWithoutTests(t *testing.T) {
	for name, waits := range map[string]map[string]database.WaitClass{
		"sqlserver": {
			"": database.WaitCPU, "runnable": database.WaitCPU, "SOS_SCHEDULER_YIELD": database.WaitCPU, "LCK_M_X": database.WaitLock, "WRITELOG": database.WaitLog,
			"LOG_RATE_GOVERNOR": database.WaitThrottle, "LOGMGR_QUEUE": database.WaitIdle, "PAGEIOLATCH_SH": database.WaitRead, "PAGELATCH_EX": database.WaitLatch,
			"LATCH_EX": database.WaitLatch, "HADR_SYNC_COMMIT": database.WaitCommit, "ASYNC_NETWORK_IO": database.WaitNetwork, "open transaction": database.WaitNetwork,
			"CXPACKET": database.WaitParallel, "HTBUILD": database.WaitParallel, "RESOURCE_SEMAPHORE": database.WaitMemory, "IO_COMPLETION": database.WaitWrite,
			"PREEMPTIVE_OS_WRITEFILE": database.WaitOther, "THREADPOOL": database.WaitOther, "LAZYWRITER_SLEEP": database.WaitIdle, "WAITFOR": database.WaitThrottle,
		},
		"oracle": {
			"": database.WaitCPU, "Application/enq: TX - row lock contention": database.WaitLock, "Commit/log file sync": database.WaitLog, "User I/O/db file sequential read": database.WaitRead,
			"User I/O/direct path write temp": database.WaitWrite, "Concurrency/buffer busy waits": database.WaitLatch, "Configuration/log file switch (checkpoint incomplete)": database.WaitLog,
			"Configuration/free buffer waits": database.WaitWrite, "Configuration/enq: TX - allocate ITL entry": database.WaitLock, "Network/SQL*Net more data to client": database.WaitNetwork,
			"Application/SQL*Net break/reset to client": database.WaitNetwork, "open transaction": database.WaitNetwork, "Scheduler/resmgr:cpu quantum": database.WaitThrottle,
			"System I/O/log file parallel write": database.WaitLog, "System I/O/db file parallel write": database.WaitWrite, "Cluster/gc cr request": database.WaitNetwork,
			"Idle/rdbms ipc message": database.WaitIdle, "Other/PX Deq: Signal ACK EXT": database.WaitOther,
		},
		"db2": {
			"": database.WaitCPU, "WAIT/LOCK": database.WaitLock, "ACQUIRE/LOCK_ESCALATION": database.WaitLock, database.RowLock: database.WaitLock, "WAIT/REQUEST": database.WaitNetwork,
			"WAIT/WLM_QUEUE": database.WaitThrottle, "PROCESS/ROUTINE": database.WaitCPU, "WAIT/ROUTINE": database.WaitOther, "WAIT/REMOTE_REQUEST": database.WaitParallel,
		},
	} {
		d, err := edition.Catalog.Pair(name, "tprocc")
		if err != nil {
			t.Fatal(err)
		}
		for wait, want := range waits {
			if class, known := d.Database.Runs.Waits.Class(wait); class != want || !known {
				t.Errorf("%s, %q: got %s, want %s", name, wait, class, want)
			}
		}
	}
}
