package database_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"sledge/internal/database"
	"sledge/internal/database/databasetest"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/postgresql"
	"sledge/internal/database/sqlite"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/sessions"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// over returns a database whose sessions are those of database/sql, with the accounts and
// the types of another, and without its SQL.
func over(d *database.Database, connect func(ctx context.Context, options any) (*database.SQLSession, error)) *database.Database {
	copied := *d
	copied.SQL, copied.Base = nil, nil
	copied.Connect = func(ctx context.Context, options any, _ database.Role) (database.Session, error) {
		s, err := connect(ctx, options)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	copied.Classify = func(err error) meter.Class {
		if errors.Is(err, database.ErrInterrupted) {
			return meter.Connection
		}
		return d.Classify(err)
	}
	return &copied
}

// line is the connection below a session, so that the test can break it.
type line struct {
	mu   sync.Mutex
	conn net.Conn
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = conn
	return conn, err
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.conn.SetDeadline(time.Unix(1, 0)) // an error would mean that it is closed
}

// The driver of PostgreSQL watches a context, so that it shows a session without Break.
func TestSessionsOverPostgreSQLsDriver(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	databasetest.Sessions(t, sessions.Subject{Database: overPostgreSQL(server, postgresql.Database.Dialect), Values: server.Values(), Uncancelled: true})
}

// overPostgreSQL connects with the account that PostgreSQL's options have by themselves.
func overPostgreSQL(server *testserver.Server, dialect database.Dialect) *database.Database {
	return over(postgresql.Database, func(ctx context.Context, _ any) (*database.SQLSession, error) {
		c, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%d user=suite password=suite dbname=suite sslmode=disable", server.Host, server.Port))
		if err != nil {
			return nil, err
		}
		name := stdlib.RegisterConnConfig(c)
		defer stdlib.UnregisterConnConfig(name)
		return database.OpenSQL(ctx, "pgx", name, dialect)
	})
}

// That of MariaDB lets its connections be dialed, so that it shows one with Break.
func TestSessionsOverMariaDBsDriver(t *testing.T) {
	var opened atomic.Int64
	d := over(mariadb.Database, func(ctx context.Context, options any) (*database.SQLSession, error) {
		o := options.(*mariadb.Options)
		c, l := mysql.NewConfig(), &line{}
		c.User, c.Passwd, c.DBName = o.User, o.Password, o.Database
		c.Net, c.Addr = fmt.Sprint("line", opened.Add(1)), net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
		c.ClientFoundRows, c.MultiStatements = true, true
		if err := mysql.SetLogger(&mysql.NopLogger{}); err != nil {
			return nil, err
		}
		mysql.RegisterDialContext(c.Net, func(ctx context.Context, address string) (net.Conn, error) {
			return l.dial(ctx, "tcp", address)
		})
		defer mysql.DeregisterDialContext(c.Net)
		s, err := database.OpenSQL(ctx, "mysql", c.FormatDSN(), mariadb.Database.Dialect)
		if err != nil {
			return nil, err
		}
		s.Break = l.cut
		return s, nil
	})
	databasetest.Sessions(t, sessions.Subject{Database: d, Values: testserver.Open(t, "mariadb").Values(), Uncancelled: true})
}

func TestAnArrayOfEveryParameterIsOneCall(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	dialect := postgresql.Database.Dialect
	dialect.Arrays = true
	d := overPostgreSQL(server, dialect)
	options := d.Options(database.Use{Name: "suite"})
	if err := option.Bind(nil, server.Values(), options); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := d.Create(ctx, options, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	s, err := d.Connect(ctx, options, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	exec := func(statement string) {
		t.Helper()
		if err := s.Exec(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec("CREATE TEMPORARY TABLE arrays (call bigint, id bigint, x double precision, words text, data bytea, moment timestamp, later timestamp, large bigint)")
	exec("CREATE TEMPORARY SEQUENCE calls")
	var in struct {
		ID     int64               `sql:"id"`
		X      float64             `sql:"x"`
		Words  string              `sql:"words"`
		Data   []byte              `sql:"data"`
		Moment time.Time           `sql:"moment"`
		Later  sql.Null[time.Time] `sql:"later"`
		Large  sql.Null[int64]     `sql:"large"`
	}
	q, err := sqlfile.Parse("arrays", `WITH call AS (SELECT nextval('calls') AS n) INSERT INTO arrays SELECT call.n, a.* FROM call,
		unnest(:id::bigint[], :x::double precision[], :words::text[], :data::bytea[], :moment::timestamp[], :later::timestamp[], :large::bigint[]) AS a`, dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	insert, err := s.Prepare(ctx, q, &in, nil)
	if err != nil {
		t.Fatal(err)
	}
	const rows = database.RowsPerBatch + 3
	away := time.FixedZone("away", 5*3600+1800) // whatever zone a time is in, it travels in UTC
	in.Data = []byte{0}
	for range 2 { // the second time it gathers in the same slices
		in.ID = 0
		n, err := database.RunMany(ctx, insert, func() bool {
			if in.ID++; in.ID > rows {
				return false
			}
			in.X, in.Words, in.Data[0], in.Moment = float64(in.ID)/2, fmt.Sprint(in.ID), byte(in.ID), time.Unix(in.ID, 0).In(away)
			in.Later = sql.Null[time.Time]{V: in.Moment, Valid: in.ID%2 == 1}
			in.Large = sql.Null[int64]{V: in.ID, Valid: in.ID%2 == 0}
			return true
		})
		if err != nil || n != rows {
			t.Fatalf("got %d rows affected, %v, want %d", n, err, rows)
		}
	}
	got, err := s.Query(ctx, `SELECT call, count(*), count(DISTINCT id), bool_and(x = id / 2.0 AND words = id::text AND get_byte(data, 0) = id % 256
		AND moment = to_timestamp(id) AT TIME ZONE 'UTC' AND later IS NOT DISTINCT FROM CASE WHEN id % 2 = 1 THEN moment END
		AND large IS NOT DISTINCT FROM CASE WHEN id % 2 = 0 THEN id END) FROM arrays GROUP BY call ORDER BY call`, 0)
	want := fmt.Sprint([][]string{{"1", "1000", "1000", "true"}, {"2", "3", "3", "true"}, {"3", "1000", "1000", "true"}, {"4", "3", "3", "true"}})
	if err != nil || fmt.Sprint(got.Rows) != want {
		t.Errorf("got %v, %v, want %v", got.Rows, err, want)
	}
}

// A server waits for a table that is locked before it prepares a statement.
func TestAPreparationIsInterrupted(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	d := overPostgreSQL(server, postgresql.Database.Dialect)
	options := d.Options(database.Use{Name: "suite"})
	if err := option.Bind(nil, server.Values(), options); err != nil {
		t.Fatal(err)
	}
	if err := d.Create(t.Context(), options, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	connect := func() database.Session {
		t.Helper()
		s, err := d.Connect(t.Context(), options, database.Owner)
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
		t.Error("it waits on")
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
	options := d.Options(database.Use{Name: "suite"})
	values := option.Values{"file": filepath.Join(t.TempDir(), "test.db"), "busy_timeout": "3600000"}
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	if err := d.Create(t.Context(), options, nil); err != nil {
		t.Fatal(err)
	}
	connect := func() database.Session {
		t.Helper()
		s, err := d.Connect(t.Context(), options, database.Owner)
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
				if !errors.Is(err, database.ErrInterrupted) || d.Classify(err) != meter.Connection {
					t.Errorf("got %v of class %v, want %v", err, d.Classify(err), database.ErrInterrupted)
				}
			case <-time.After(20 * time.Second):
				t.Error("the call goes on")
			}
		})
	}
}
