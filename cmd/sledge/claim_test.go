package main_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"

	"sledge/internal/job"
	"sledge/internal/testserver"
)

// TestBuild_ExcludesOthersAndEndsOrphan kills a build while a lock blocks its session on the
// server, so that the session is still there when the build is resumed. The resumed build must end
// it.
func TestBuild_ExcludesOthersAndEndsOrphan(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, tt := range []struct {
		db, driver string
		lock       string // statement that blocks the build at order_line
		waiting    string // query for the ID of the blocked session
		count      string // query that counts the sessions with an ID
	}{
		{
			"postgresql", "pgx", "BEGIN; LOCK TABLE order_line IN ACCESS SHARE MODE",
			"SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%order_line_i1%'",
			"SELECT count(*) FROM pg_stat_activity WHERE pid = %d",
		},
		{
			"mariadb", "mysql", "LOCK TABLES order_line READ",
			"SELECT id FROM information_schema.processlist WHERE state LIKE 'Waiting for table%lock' AND info LIKE 'LOAD DATA%order_line%'",
			"SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d",
		},
	} {
		t.Run(tt.db, func(t *testing.T) {
			server := testserver.Open(t, tt.db, testserver.Own())
			values := server.Values()
			values["maria_count_ware"] = "2" // so that there is a second chunk to block
			p := newProgram(t, values)
			build := p.start("build", "--db", tt.db)
			watcher := openDatabase(t, tt.driver, server.DataSource(""))
			holder := &holder{driver: tt.driver, source: server.DataSource("tpcc"), statement: tt.lock}
			p.until("the table is locked", func() bool { return holder.hold(t) })
			var orphan int
			p.until("the build is blocked", func() bool { return watcher.QueryRow(tt.waiting).Scan(&orphan) == nil })

			for _, args := range []string{"build --resume", "delete --yes"} {
				_, stderr, exit := p.run(append(strings.Fields(args), "--db", tt.db)...)
				if exit != job.ExitExists || !strings.Contains(stderr, "another build or deletion is running") {
					t.Errorf("%s beside a build: exit code %d, want %d and a message about another build, got\n%s", args, exit, job.ExitExists, stderr)
				}
			}

			if err := build.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.wait(build)
			resumed := p.start("build", "--db", tt.db, "--resume")
			p.until("the orphan has ended", func() bool {
				var n int
				return watcher.QueryRow(fmt.Sprintf(tt.count, orphan)).Scan(&n) == nil && n == 0
			})
			holder.release()
			if exit := p.wait(resumed); exit != job.OK {
				t.Fatalf("the build was not resumed: exit code %d\n%s\n%s", exit, resumed.Stdout.(*bytes.Buffer), resumed.Stderr.(*bytes.Buffer))
			}
			p.must("check", "--db", tt.db)
		})
	}
}

// TestRun_ExcludesBuildAndDelete tries both during a run, and deletes the schema after the run was
// killed.
func TestRun_ExcludesBuildAndDelete(t *testing.T) {
	t.Parallel() // it mostly waits
	p, _ := onSchema(t)
	run := p.start("run", "--db", "sqlite", "--rampup", "0s", "--duration", "1m")
	p.untilMeasured()
	for _, args := range []string{"build --db sqlite", "delete --yes --db sqlite"} {
		_, stderr, exit := p.run(strings.Fields(args)...)
		if exit != job.ExitExists || !strings.Contains(stderr, "is in progress in ") {
			t.Errorf("%s during a run: exit code %d, want %d and a message about the job in progress, got\n%s", args, exit, job.ExitExists, stderr)
		}
	}
	if _, stderr, exit := p.run("run", "--db", "sqlite", "--rampup", "0s", "--duration", "1s"); exit == job.ExitExists {
		t.Errorf("a run during a run was refused:\n%s", stderr)
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait(run)
	p.must("delete", "--yes", "--db", "sqlite")
}

func openDatabase(t *testing.T, driver, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// holder holds a lock on its own connection.
type holder struct {
	driver, source, statement string

	db *sql.DB
}

// hold takes the lock. It returns false if the table does not exist yet.
func (h *holder) hold(t *testing.T) bool {
	if h.db == nil {
		h.db = openDatabase(t, h.driver, h.source)
		h.db.SetMaxOpenConns(1)
	}
	_, err := h.db.ExecContext(context.Background(), h.statement)
	if err != nil && h.driver == "pgx" {
		_, _ = h.db.Exec("ROLLBACK")
	}
	return err == nil
}

// release releases the lock by closing the connection.
func (h *holder) release() { _ = h.db.Close() }
