package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/sqlite"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/suite/databasetest"
)

func Test(t *testing.T) {
	databasetest.Run(t, sqlite.Database, option.Values{
		"file":         filepath.Join(t.TempDir(), "test #1.db"), // a name with a special character of URLs
		"busy_timeout": "1000",
	})
}

func TestCreateAndDrop_BesideOthers(t *testing.T) {
	values := option.Values{"file": filepath.Join(t.TempDir(), "beside.db")}
	databasetest.Beside(t, sqlite.Database, func() any {
		o := sqlite.Database.Options.New(database.Use{Name: "tpcc"})
		if err := option.Bind(nil, values, o); err != nil {
			t.Error(err)
		}
		return o
	})
}

func TestConnect_RefusesFilesThatAreNotRegular(t *testing.T) {
	for _, file := range []string{t.TempDir(), os.DevNull} {
		o := sqlite.Database.Options.New(database.Use{Name: "tpcc"})
		if err := option.Bind(nil, option.Values{"file": file}, o); err != nil {
			t.Fatal(err)
		}
		if err := sqlite.Database.Container.Create(t.Context(), o, nil); !errors.Is(err, database.ErrUnfit) {
			t.Errorf("create %s: got %v, want %v", file, err, database.ErrUnfit)
		}
		if _, err := sqlite.Database.Sessions.Connect(t.Context(), o, database.Owner); !errors.Is(err, database.ErrUnfit) {
			t.Errorf("connect to %s: got %v, want %v", file, err, database.ErrUnfit)
		}
	}
}

func TestRollback_SucceedsIfAFullDiskHasRolledBack(t *testing.T) {
	o := sqlite.Database.Options.New(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, option.Values{"file": filepath.Join(t.TempDir(), "full.db")}, o); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Database.Container.Create(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Database.Sessions.Connect(t.Context(), o, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, statement := range []string{"CREATE TABLE t (x)", "PRAGMA max_page_count = 100"} {
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the session stays usable
		if err := s.Begin(t.Context(), database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		if err := s.Exec(t.Context(), "INSERT INTO t VALUES (zeroblob(1000000))"); sqlite.Database.Sessions.Classify(err) != meter.Resource {
			t.Fatalf("got %v, want an error about a full disk", err)
		}
		if err := s.Rollback(t.Context()); err != nil {
			t.Errorf("roll back: %v", err)
		}
	}
}
