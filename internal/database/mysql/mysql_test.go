package mysql_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/mysql"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/databasetest"
	"sledge/internal/suite/sessions"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

func Test(t *testing.T) {
	databasetest.Run(t, mysql.Database, testserver.Open(t, "mysql").Values())
}

// Users may choose MySQL for a MariaDB server.
func TestOnMariaDB(t *testing.T) {
	databasetest.Run(t, mysql.Database, testserver.Open(t, "mariadb").Values())
}

// Calls prepared on the server bind values differently from calls sent as text.
func TestWithPreparedCalls(t *testing.T) {
	values := testserver.Open(t, "mariadb").Values()
	values["prepared"] = "true"
	databasetest.Sessions(t, sessions.Subject{Database: mariadb.Database, Values: values})
}

// MySQL and MariaDB share most SQL, so most tests run on both.
var products = []*database.Database{mysql.Database, mariadb.Database}

// onEach runs a test on a server of each product, in a new database.
func onEach(t *testing.T, name string, test func(t *testing.T, s *server)) {
	for _, d := range products {
		t.Run(d.Name, func(t *testing.T) {
			s := &server{database: d, values: testserver.Open(t, d.Name).Values()}
			s.set("dbname", name)
			if _, err := d.Container.Drop(t.Context(), s.options(t), database.DropOptions{}); err != nil { // left behind by a killed test
				t.Fatal(err)
			}
			if err := d.Container.Create(t.Context(), s.options(t), func(job.Event) {}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if _, err := d.Container.Drop(context.Background(), s.options(t), database.DropOptions{}); err != nil {
					t.Error(err)
				}
			})
			test(t, s)
		})
	}
}

// server is a database on a server of one of the products.
type server struct {
	database *database.Database
	values   option.Values
}

// set changes an option, given without its prefix.
func (s *server) set(name, value string) { s.values[name] = value }

func (s *server) options(t testing.TB) any {
	t.Helper()
	options := s.database.Options.New(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, s.values, options); err != nil {
		t.Fatal(err)
	}
	return options
}

func (s *server) connect(t testing.TB) database.Session {
	t.Helper()
	session, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // some tests break the connection on purpose
	return session
}

// library returns the product's SQL for TPROC-C, in the engine's order, without the workload's own.
func (s *server) library(t testing.TB) *sqlfile.Library {
	t.Helper()
	l, err := sqlfile.NewLibrary(s.database.Dialect.Placeholder, s.places()...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (s *server) places() (places []sqlfile.Place) {
	for d := s.database; d != nil; d = d.Base {
		places = append(places, sqlfile.Place{Files: d.SQL, Dir: "sql/tprocc"}, sqlfile.Place{Files: d.SQL, Dir: "sql"})
	}
	return places
}

// query returns the text of one of the product's queries without parameters.
func (s *server) query(t testing.TB, name string) string {
	t.Helper()
	q, err := s.library(t).Query(name)
	if err != nil {
		t.Fatal(err)
	}
	return q.Text
}

// script runs one of the scripts of TPROC-C.
func (s *server) script(t testing.TB, session database.Session, name string, warehouses int) {
	t.Helper()
	plan := struct {
		Connection       any
		Settings         struct{ Warehouses int }
		Tables, Routines []string
	}{Connection: s.options(t)}
	plan.Settings.Warehouses = warehouses
	l := s.library(t)
	if name == "drop" {
		for _, row := range rows(t, session, s.query(t, "tables")) {
			plan.Tables = append(plan.Tables, strings.Split(row, "|")[0])
		}
		plan.Tables = slices.Compact(plan.Tables)
		for _, row := range rows(t, session, s.query(t, "installed_routines")) {
			plan.Routines = append(plan.Routines, strings.Split(row, "|")[3])
		}
	}
	for _, name := range append([]string{name}, l.Names(name+".")...) {
		statements, err := l.Script(name, plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range statements {
			mustExec(t, session, statement)
		}
	}
}

func mustExec(t testing.TB, session database.Session, statements string) {
	t.Helper()
	if err := session.Exec(t.Context(), statements); err != nil {
		t.Fatalf("%v\n%s", err, statements)
	}
}

// rows returns the rows of a query as text, with bars between the values.
func rows(t testing.TB, session database.Session, query string) []string {
	t.Helper()
	table, err := session.Query(t.Context(), query, 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	lines := make([]string, len(table.Rows))
	for i, row := range table.Rows {
		lines[i] = strings.Join(row, "|")
	}
	return lines
}

func wantRows(t testing.TB, session database.Session, query string, want ...string) {
	t.Helper()
	got := rows(t, session, query)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\ngot  %q\nwant %q", query, got, want)
	}
}
