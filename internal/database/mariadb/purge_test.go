package mariadb_test

import (
	"context"
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
	'innodb_lru_scan_depth', 'innodb_io_capacity', 'innodb_io_capacity_max') ORDER BY 1`

// work leaves old row versions and dirty pages behind.
const work = `CREATE OR REPLACE TABLE purged (n INT PRIMARY KEY, text VARCHAR(200)) ENGINE = innodb;
	INSERT INTO purged SELECT seq, REPEAT('x', 200) FROM seq_1_to_50000; UPDATE purged SET text = REPEAT('y', 200); DELETE FROM purged WHERE n % 2 = 0`

func TestFinishPurgesAndPutsTheSettingsBack(t *testing.T) {
	options, session := purgeable(t, "true")
	before := text(t, session, purgeVariables)
	if len(strings.Split(before, "\n")) != 7 {
		t.Fatalf("got variables %q, want seven", before)
	}
	if err := session.Exec(t.Context(), work); err != nil {
		t.Fatal(err)
	}
	var told []job.Step
	if err := mariadb.Database.Finish(t.Context(), options, func(e job.Event) { told = append(told, *e.Step) }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []job.StepName{job.StepPurge, job.StepWriteBack} {
		is := func(stages ...job.Stage) func(job.Step) bool {
			return func(s job.Step) bool { return s.Name == name && slices.Contains(stages, s.Stage) }
		}
		if !slices.ContainsFunc(told, func(s job.Step) bool { return is(job.Begins)(s) && s.Count > 0 }) {
			t.Errorf("got %+v, want %s to begin with what there is to do", told, name)
		}
		if !slices.ContainsFunc(told, is(job.Ends, job.GivenUp)) {
			t.Errorf("got %+v, want %s to end", told, name)
		}
	}
	if after := text(t, session, purgeVariables); after != before {
		t.Errorf("got settings %q afterwards, want %q", after, before)
	}
}

func TestFinishPutsTheSettingsBackWhenItIsStopped(t *testing.T) {
	options, session := purgeable(t, "true")
	before := text(t, session, purgeVariables)
	if err := session.Exec(t.Context(), work); err != nil {
		t.Fatal(err)
	}
	// While somebody reads an old version, there is no end to the purge.
	reader := connect(t, options)
	if err := reader.Exec(t.Context(), "START TRANSACTION WITH CONSISTENT SNAPSHOT"); err != nil {
		t.Fatal(err)
	}
	if err := session.Exec(t.Context(), "UPDATE purged SET text = 'z'"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- mariadb.Database.Finish(ctx, options, func(job.Event) {}) }()
	for deadline := time.Now().Add(time.Minute); text(t, session, purgeVariables) == before; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the settings were not changed")
		}
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("a purge that was stopped returned no error")
	}
	if after := text(t, session, purgeVariables); after != before {
		t.Errorf("got settings %q afterwards, want %q", after, before)
	}
}

func TestFinishDoesNothingUnasked(t *testing.T) {
	options, _ := purgeable(t, "false")
	var told []job.Event
	if err := mariadb.Database.Finish(t.Context(), options, func(e job.Event) { told = append(told, e) }); err != nil || len(told) > 0 {
		t.Errorf("got %+v, %v; want nothing", told, err)
	}
}

// purgeable returns options and a session in a server that no other test shares,
// since global settings are changed.
func purgeable(t *testing.T, purge string) (any, database.Session) {
	t.Helper()
	values := option.Values(testserver.Open(t, "mariadb", testserver.Setting("innodb_io_capacity=150")).Values())
	values["purge"] = purge
	values["dbname"] = "sledge_purge"
	options := mariadb.Database.Options("tprocc")
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	if err := mariadb.Database.Create(t.Context(), options, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	return options, connect(t, options)
}

func connect(t *testing.T, options any) database.Session {
	t.Helper()
	session, err := mariadb.Database.Connect(t.Context(), options, database.Owner)
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

// text returns what a query answers, a row to a line.
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
