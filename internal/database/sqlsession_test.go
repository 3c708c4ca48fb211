package database_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/database/sqlite"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/databasetest"
	"sledge/internal/suite/sessions"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// over returns a copy of d with sessions over database/sql, and without d's SQL.
func over(d *database.Database, connect func(ctx context.Context, options any) (*database.SQLSession, error)) *database.Database {
	copied := *d
	copied.SQL, copied.Base = nil, nil
	copied.Sessions.Connect = func(ctx context.Context, options any, _ database.Role) (database.Session, error) {
		s, err := connect(ctx, options)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	copied.Sessions.Classify = func(err error) meter.Class {
		if errors.Is(err, database.ErrInterrupted) {
			return meter.Connection
		}
		return d.Sessions.Classify(err)
	}
	return &copied
}

// SQLite's and DuckDB's drivers work in this process; PostgreSQL's also tests sessions over a
// network.
func TestSessionsOverPostgreSQLsDriver(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	databasetest.Sessions(t, sessions.Subject{Database: overPostgreSQL(server), Values: server.Values(), Uncancelled: true})
}

// overPostgreSQL connects with the account of the suite.
func overPostgreSQL(server *testserver.Server) *database.Database {
	return over(postgresql.Database, func(ctx context.Context, _ any) (*database.SQLSession, error) {
		c, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%d user=suite password=suite dbname=suite sslmode=disable", server.Host, server.Port))
		if err != nil {
			return nil, err
		}
		name := stdlib.RegisterConnConfig(c)
		defer stdlib.UnregisterConnConfig(name)
		return database.OpenSQL(ctx, "pgx", name, postgresql.Database.Dialect)
	})
}

// A server waits for a table that is locked before it prepares a statement.
func TestAPreparationIsInterrupted(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	d := overPostgreSQL(server)
	options := d.Options.New(database.Use{Name: "suite"})
	if err := option.Bind(nil, server.Values(), options); err != nil {
		t.Fatal(err)
	}
	if err := d.Container.Create(t.Context(), options, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	connect := func() database.Session {
		t.Helper()
		s, err := d.Sessions.Connect(t.Context(), options, database.Owner)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	holder, s := connect(), connect()
	for _, statement := range []string{"DROP TABLE IF EXISTS sledge_test_locked", "CREATE TABLE sledge_test_locked (id bigint)", "BEGIN", "LOCK TABLE sledge_test_locked"} {
		if err := holder.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	prepared := make(chan error, 1)
	go func() {
		var out struct {
			ID int64 `sql:"id"`
		}
		_, err := s.Prepare(context.Background(), sqlfile.Query{Name: "locked", Text: "SELECT id FROM sledge_test_locked"}, nil, &out)
		prepared <- err
	}()
	time.AfterFunc(200*time.Millisecond, s.Interrupt)
	select {
	case err := <-prepared:
		if !errors.Is(err, database.ErrInterrupted) {
			t.Errorf("got %v, want %v", err, database.ErrInterrupted)
		}
	case <-time.After(20 * time.Second):
		t.Error("the preparation still waits after the interrupt")
	}
	for _, statement := range []string{"ROLLBACK", "DROP TABLE sledge_test_locked"} {
		if err := holder.Exec(t.Context(), statement); err != nil {
			t.Error(err)
		}
	}
}

// The interrupt ends the wait for a lock long before its timeout.
func TestSQLiteIsInterrupted(t *testing.T) {
	d := sqlite.Database
	options := d.Options.New(database.Use{Name: "suite"})
	values := option.Values{"file": filepath.Join(t.TempDir(), "test.db"), "busy_timeout": "3600000"}
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	if err := d.Container.Create(t.Context(), options, nil); err != nil {
		t.Fatal(err)
	}
	connect := func() database.Session {
		t.Helper()
		s, err := d.Sessions.Connect(t.Context(), options, database.Owner)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	holder := connect()
	if err := holder.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(s database.Session) error{
		"that waits for a lock": func(s database.Session) error { return s.Begin(context.Background(), database.ReadWrite) },
		"that computes for long": func(s database.Session) error {
			_, err := s.Query(context.Background(), "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", 0)
			return err
		},
		"whose caller may cancel it": func(s database.Session) error {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			return s.Begin(ctx, database.ReadWrite)
		},
	} {
		t.Run("a call "+name, func(t *testing.T) {
			s := connect()
			time.AfterFunc(200*time.Millisecond, s.Interrupt)
			ended := make(chan error, 1)
			go func() { ended <- call(s) }()
			select {
			case err := <-ended:
				if !errors.Is(err, database.ErrInterrupted) || d.Sessions.Classify(err) != meter.Connection {
					t.Errorf("got %v of class %v, want %v", err, d.Sessions.Classify(err), database.ErrInterrupted)
				}
			case <-time.After(20 * time.Second):
				t.Error("the call goes on")
			}
		})
	}
}
