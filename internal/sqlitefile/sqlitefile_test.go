package sqlitefile_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"sledge/internal/sqlitefile"
)

func TestCreate_MakesPrivateFileWithAnyName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "100% of a & b?.db")
	if runtime.GOOS == "windows" {
		path = filepath.Join(t.TempDir(), "folder", "100% of a & b.db")
	}
	if err := sqlitefile.Create(path); err != nil {
		t.Fatal(err)
	}
	db := open(t, path)
	if _, err := db.Exec("CREATE TABLE t (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() == 0 {
		t.Errorf("%s is empty, so the table went into another file", path)
	}
	if got := info.Mode().Perm(); runtime.GOOS != "windows" && got != 0o600 {
		t.Errorf("got mode %o, want 600", got)
	}
}

func TestTransact_RollsBackFailedWork(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "t.db"))
	if _, err := db.Exec("CREATE TABLE t (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	insert := func(result error) error {
		return sqlitefile.Transact(context.Background(), db, func(tx *sql.Tx) error {
			_, err := tx.Exec("INSERT INTO t VALUES (1)")
			return errors.Join(err, result)
		})
	}
	wrong := errors.New("wrong")
	if err := insert(wrong); !errors.Is(err, wrong) {
		t.Errorf("got %v, want the error of the work", err)
	}
	if err := insert(nil); err != nil {
		t.Error(err)
	}
	var rows int
	if err := db.QueryRow("SELECT count(*) FROM t").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("got %d rows, %v, want 1", rows, err)
	}
}

func open(t *testing.T, path string) *sql.DB {
	t.Helper()
	uri, err := sqlitefile.URI(path, "_busy_timeout=1000")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestVersion_RefusesFilesOfOtherApplications(t *testing.T) {
	const ours, another = 0x536c6467, 0x12345678
	for _, c := range []struct {
		name    string
		made    func(tx *sql.Tx) error
		want    int
		foreign bool
	}{
		{"a new file", func(*sql.Tx) error { return nil }, 0, false},
		{"ours", func(tx *sql.Tx) error { return sqlitefile.SetVersion(t.Context(), tx, ours, 3) }, 3, false},
		{"another's", func(tx *sql.Tx) error { return sqlitefile.SetVersion(t.Context(), tx, another, 3) }, 0, true},
		{"a file without a mark", func(tx *sql.Tx) error {
			_, err := tx.Exec("CREATE TABLE t (n INTEGER)")
			return err
		}, 0, true},
	} {
		db := open(t, filepath.Join(t.TempDir(), "a.db"))
		if err := sqlitefile.Transact(t.Context(), db, c.made); err != nil {
			t.Fatal(err)
		}
		got, err := sqlitefile.Version(t.Context(), db, ours)
		if got != c.want || errors.Is(err, sqlitefile.ErrForeign) != c.foreign || !c.foreign && err != nil {
			t.Errorf("%s: got %d and error %v, want %d and foreign %t", c.name, got, err, c.want, c.foreign)
		}
	}
}
