package cli

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
)

// fileWith returns the path of a SQLite file with a journal mode.
func fileWith(t *testing.T, journal string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.sqlite")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "PRAGMA journal_mode = "+journal+"; CREATE TABLE t (a)"); err != nil {
		t.Fatal(err)
	}
	return file
}

// A finding of severity high has the exit code 4, and one of severity stop 5.
func TestDoctor_SaysWhatIsWrong(t *testing.T) {
	w := newWorld(t)
	wal, deleting := fileWith(t, "wal"), fileWith(t, "delete")
	for _, c := range []struct {
		args string
		code job.Exit
		out  string // part of the output
		err  string // part of the error
	}{
		{"--db sqlite --set file=WAL --only sqlite", job.OK, "  note    sqlite.synchronous: synchronous is normal with a write-ahead log\n          should be full", ""},
		{"--db sqlite --set file=WAL --only sqlite --skip sqlite.synchronous", job.OK, "No findings in 3 checks.", ""},
		{"--db sqlite --set file=WAL --only sqlite --set busy_timeout=10 --json", job.OK, `"id": "sqlite.busy_timeout"`, ""},
		{"--db sqlite --set file=DELETE --only sqlite --users 1,4", job.ExitCheck, "journal_mode is delete, for 4 users", "doctor: 1 of severity high"},
		{"--db sqlite --set file=WAL --only mem.fits --users 90000 --set cache_mib=65536", job.ExitInvalid, "  stop    mem.fits", "doctor: 1 of severity stop"},
		{"--only disk.fsync", job.OK, "Not checked: disk.fsync: it writes a temporary file: ask for it with --disk", ""},
		{"--only bogus", job.ExitUsage, "", `--only: "bogus" is neither a check nor a group`},
		{"--only pg", job.ExitUsage, "", "--only: pg needs the database that it is about: give --db"},
		{"--only disk --disk=/does/not/exist", job.ExitUsage, "", `--disk: "/does/not/exist" is not a folder`},
		{"--db sqlite --set file=/does/not/exist --only sqlite", job.ExitMissing, "Not checked: sqlite.journal", "there is no file"},
		{"--db pg --host 127.0.0.1 --port 1 --only pg.fsync", job.ExitConnect, "Not checked: pg.fsync: the server could not be reached", "connection refused"},
	} {
		args := strings.NewReplacer("WAL", wal, "DELETE", deleting).Replace("doctor " + c.args)
		code := w.run(strings.Fields(args)...)
		if code != c.code || !strings.Contains(w.out.String(), c.out) || !strings.Contains(w.err.String(), c.err) {
			t.Errorf("sledge %s: got exit code %d, %q and %q; want %d, %q and %q", args, code, &w.out, &w.err, c.code, c.out, c.err)
		}
	}
}
