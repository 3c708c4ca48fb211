package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"modernc.org/sqlite"

	"sledge/internal/database"
	"sledge/internal/meter"
)

// Each error comes from SQLite, because tests cannot construct the driver's errors.
func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		name string
		code int // primary result code, www.sqlite.org/rescode.html
		do   func(t *testing.T, file string) error
		want meter.Class
	}{
		{"a lock of another session", codeBusy, whileLocked, meter.Busy},
		{"a table of this session that is being read", codeLocked, whileReading, meter.Busy},
		{"a file that may not grow", codeFull, executing("PRAGMA max_page_count = 2", "CREATE TABLE more AS SELECT zeroblob(100000)"), meter.Resource},
		{"a duplicate key", codeConstraint, executing("INSERT INTO t VALUES (1, NULL)", "INSERT INTO t VALUES (1, NULL)"), meter.Constraint},
		{"a text for a number", codeMismatch, executing("INSERT INTO t VALUES ('one', NULL)"), meter.Constraint},
		{"a value that is too big", codeTooBig, executing("SELECT zeroblob(2000000000)"), meter.Constraint},
		{"a session that may only read", codeReadOnly, executing("PRAGMA query_only = 1", "INSERT INTO t VALUES (1, NULL)"), meter.Permission},
		{"a file in no folder", codeCantOpen, func(_ *testing.T, file string) error {
			return execute(filepath.Join(file+".none", "file"), "SELECT 1")
		}, meter.Connection},
		{"a file in another format", codeNotADB, overwritten(0), meter.Connection},
		{"a file with a broken page", codeCorrupt, overwritten(4096), meter.Connection},
		{"a mistake in a statement", 1, executing("SELECT nothing FROM t"), meter.Other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			if err := execute(file, "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)"); err != nil {
				t.Fatal(err)
			}
			err := tt.do(t, file)
			e, is := errors.AsType[*sqlite.Error](err)
			if !is || e.Code()&0xff != tt.code {
				t.Fatalf("got %v, want an error of code %d", err, tt.code)
			}
			if got := classify(fmt.Errorf("payment: %w", err)); got != tt.want {
				t.Errorf("%v: got %v, want %v", err, got, tt.want)
			}
		})
	}
	for err, want := range map[error]meter.Class{
		database.ErrInterrupted:          meter.Connection,
		errors.New("no error of SQLite"): meter.Other,
	} {
		if got := classify(fmt.Errorf("payment: %w", err)); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
	}
}

// executing returns a function that executes the statements in one session.
func executing(statements ...string) func(*testing.T, string) error {
	return func(_ *testing.T, file string) error { return execute(file, statements...) }
}

func execute(file string, statements ...string) (err error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

func whileLocked(t *testing.T, file string) error {
	other, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	return execute(file, "INSERT INTO t VALUES (1, NULL)")
}

func whileReading(t *testing.T, file string) error {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "INSERT INTO t VALUES (1, NULL), (2, NULL)"); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.QueryContext(t.Context(), "SELECT id FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	_, err = conn.ExecContext(t.Context(), "DROP TABLE t")
	return err
}

// overwritten returns a function that overwrites a page of the file and then uses the file.
func overwritten(from int64) func(*testing.T, string) error {
	return func(t *testing.T, file string) error {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteAt(make([]byte, 4096), from)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		return execute(file, "INSERT INTO t VALUES (1, NULL)")
	}
}
