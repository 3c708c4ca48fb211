package mariadb_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

const purgeVariables = `SELECT variable_name, global_value FROM information_schema.system_variables WHERE variable_name IN (
	'innodb_purge_threads', 'innodb_purge_batch_size', 'innodb_max_dirty_pages_pct', 'innodb_max_dirty_pages_pct_lwm',
	'innodb_lru_flush_size', 'innodb_lru_scan_depth', 'innodb_io_capacity', 'innodb_io_capacity_max') ORDER BY 1`

// work leaves old row versions and dirty pages behind.
const work = `CREATE OR REPLACE TABLE purged (n INT PRIMARY KEY, text VARCHAR(200)) ENGINE = innodb;
	INSERT INTO purged SELECT seq, REPEAT('x', 200) FROM seq_1_to_50000; UPDATE purged SET text = REPEAT('y', 200); DELETE FROM purged WHERE n % 2 = 0`

func TestFinish_PurgesAndRestoresSettings(t *testing.T) {
	options, session := purgeable(t, "true")
	before := text(t, session, purgeVariables)
	if len(strings.Split(before, "\n")) != 8 {
		t.Fatalf("got variables %q, want eight", before)
	}
	old := connect(t, options) // its snapshot keeps the server from purging until the test does
	for _, of := range []struct {
		session   database.Session
		statement string
	}{{old, "START TRANSACTION WITH CONSISTENT SNAPSHOT"}, {session, work}} {
		if err := of.session.Exec(t.Context(), of.statement); err != nil {
			t.Fatal(err)
		}
	}
	var told []job.Step
	var last job.Progress
	watch := func(e job.Event) {
		if e.Progress != nil {
			last = *e.Progress
			return
		}
		if told = append(told, *e.Step); e.Step.Name == job.StepPurge && e.Step.Stage == job.Begins {
			if err := old.Exec(t.Context(), "ROLLBACK"); err != nil {
				t.Error(err)
			}
		}
	}
	if err := mariadb.Database.Runs.Maintenance.Do(t.Context(), options, watch); err != nil {
		t.Fatal(err)
	}
	if last.Step != "write back" || last.Total == 0 {
		t.Errorf("got last progress %+v, want that of writing back", last)
	}
	var undo []string
	for _, name := range []job.StepName{job.StepPurge, job.StepWriteBack} {
		is := func(stages ...job.Stage) func(job.Step) bool {
			return func(s job.Step) bool { return s.Name == name && slices.Contains(stages, s.Stage) }
		}
		if !slices.ContainsFunc(told, func(s job.Step) bool { return is(job.Begins)(s) && s.Count > 0 }) {
			t.Errorf("got %+v, want %s to begin with the amount of work", told, name)
		}
		if i := slices.IndexFunc(told, is(job.Begins)); i >= 0 {
			undo = append(undo, told[i].Undo...)
		}
		if !slices.ContainsFunc(told, is(job.Ends, job.GivenUp)) {
			t.Errorf("got %+v, want %s to end", told, name)
		}
	}
	if after := text(t, session, purgeVariables); after != before {
		t.Errorf("got settings %q afterwards, want %q", after, before)
	}
	for line := range strings.SplitSeq(before, "\n") {
		name, value, _ := strings.Cut(line, " ")
		if strings.EqualFold(name, "innodb_lru_flush_size") && value == "0" {
			continue // the server does not use it, and does not accept this value
		}
		if want := "SET GLOBAL " + strings.ToLower(name) + " = " + value; !slices.Contains(undo, want) {
			t.Errorf("got undo statements %q, want %q among them", undo, want)
		}
	}
}

func TestFinish_RestoresSettingsIfStopped(t *testing.T) {
	options, session := purgeable(t, "true")
	before := text(t, session, purgeVariables)
	endless(t, options, session)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := purging(ctx, t, options, session, before)
	cancel()
	if err := <-done; err == nil {
		t.Error("the stopped purge returned no error")
	}
	if after := text(t, session, purgeVariables); after != before {
		t.Errorf("got settings %q afterwards, want %q", after, before)
	}
}

func TestFinish_RestoresSettingsIfConnectionIsLost(t *testing.T) {
	options, session := purgeable(t, "true")
	before := text(t, session, purgeVariables)
	reader := endless(t, options, session)
	own := text(t, session, "SELECT CONNECTION_ID()") + ", " + text(t, reader, "SELECT CONNECTION_ID()")
	done := purging(t.Context(), t, options, session, before)
	others := text(t, session, "SELECT id FROM information_schema.processlist WHERE user = 'root' AND id NOT IN ("+own+")")
	for id := range strings.SplitSeq(others, "\n") {
		if err := session.Exec(t.Context(), "KILL "+id); err != nil {
			t.Fatal(err)
		}
	}
	err := <-done
	if _, unrestored := errors.AsType[*database.UnrestoredError](err); err == nil || unrestored {
		t.Errorf("got %v, want an error that the connection was lost, and the settings put back", err)
	}
	if after := text(t, session, purgeVariables); after != before {
		t.Errorf("got settings %q afterwards, want %q", after, before)
	}
}

func TestFinish_ListsStatementsIfServerIsLost(t *testing.T) {
	mariadb.RestoreWithin(t, 2*time.Second)
	server := testserver.Open(t, "mariadb", testserver.Own(), testserver.Setting("innodb_io_capacity=150"))
	options, session := purgeableOn(t, server, "true")
	before := text(t, session, purgeVariables)
	endless(t, options, session)
	done := purging(t.Context(), t, options, session, before)
	server.Stop(testserver.Immediate)
	err := <-done
	for _, want := range []string{"SET GLOBAL innodb_purge_threads = 4; SET GLOBAL innodb_purge_batch_size = ", "restore them with"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	server.Start()
}

func TestFinish_RestoresSettingsAfterServerRestart(t *testing.T) {
	server := testserver.Open(t, "mariadb", testserver.Own(), testserver.Setting("innodb_io_capacity=150"))
	options, session := purgeableOn(t, server, "true")
	before := text(t, session, purgeVariables)
	endless(t, options, session)
	done := purging(t.Context(), t, options, session, before)
	server.Stop(testserver.Immediate)
	server.Start()
	err := <-done
	if _, unrestored := errors.AsType[*database.UnrestoredError](err); err == nil || unrestored {
		t.Errorf("got %v, want an error that the connection was lost, and the settings put back", err)
	}
	if after := text(t, connect(t, options), purgeVariables); after != before {
		t.Errorf("got settings %q afterwards, want %q", after, before)
	}
}

// endless creates garbage that purge cannot remove, because another transaction reads an old
// version.
func endless(t *testing.T, options any, session database.Session) (reader database.Session) {
	t.Helper()
	if err := session.Exec(t.Context(), work); err != nil {
		t.Fatal(err)
	}
	reader = connect(t, options)
	if err := reader.Exec(t.Context(), "START TRANSACTION WITH CONSISTENT SNAPSHOT"); err != nil {
		t.Fatal(err)
	}
	if err := session.Exec(t.Context(), "UPDATE purged SET text = 'z'"); err != nil {
		t.Fatal(err)
	}
	return reader
}

// purging calls finish in a goroutine, and returns when it has changed all settings of the purge.
func purging(ctx context.Context, t *testing.T, options any, session database.Session, before string) chan error {
	t.Helper()
	done := make(chan error, 1)
	changed := make(chan struct{}, 1000)
	go func() {
		done <- mariadb.Database.Runs.Maintenance.Do(ctx, options, func(e job.Event) {
			if e.Progress != nil {
				changed <- struct{}{}
			}
		})
	}()
	select {
	case <-changed:
	case err := <-done:
		t.Fatalf("finish ended before it changed the settings: %v", err)
	}
	if text(t, session, purgeVariables) == before {
		t.Fatal("the settings were not changed")
	}
	return done
}

func TestFinish_DoesNothingByDefault(t *testing.T) {
	options, _ := purgeable(t, "false")
	var told []job.Event
	if err := mariadb.Database.Runs.Maintenance.Do(t.Context(), options, func(e job.Event) { told = append(told, e) }); err != nil || len(told) > 0 {
		t.Errorf("got %+v, %v; want nothing", told, err)
	}
}

// purgeable returns options and a session for a server that no other test uses, because finish
// changes global settings.
func purgeable(t *testing.T, purge string) (any, database.Session) {
	t.Helper()
	return purgeableOn(t, testserver.Open(t, "mariadb", testserver.Setting("innodb_io_capacity=150")), purge)
}

func purgeableOn(t *testing.T, server *testserver.Server, purge string) (any, database.Session) {
	t.Helper()
	values := option.Values(server.Values())
	values["purge"] = purge
	values["dbname"] = "sledge_purge"
	options := mariadb.Database.Options.New(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	if err := mariadb.Database.Container.Create(t.Context(), options, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	return options, connect(t, options)
}

func connect(t *testing.T, options any) database.Session {
	t.Helper()
	session, err := mariadb.Database.Sessions.Connect(t.Context(), options, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session
}

// text returns the rows of a query, one per line.
func text(t *testing.T, session database.Session, query string) string {
	t.Helper()
	table, err := session.Query(t.Context(), query, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, row := range table.Rows {
		lines = append(lines, strings.Join(row, " "))
	}
	return strings.Join(lines, "\n")
}
