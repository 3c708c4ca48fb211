// Package databasetest is the suite that every database passes. It asks of a
// real server whether sessions do what the contract in package database says,
// and knows no particular database.
package databasetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// Traits are what the suite must be told of a database.
type Traits struct {
	Bytes string // the type of a column of bytes: "bytea"

	// Outputs is the file that creates the procedure sledge_test_outputs, which the test
	// of output parameters calls; "" for a database that has none, and says so.
	Outputs string

	// Endless is a query that takes hours, for a database in which nobody waits for a lock:
	// who changes a row that another transaction has changed fails at once. It stands for
	// the call that waits, and a deadlock is where both fail. "" for a database with locks.
	Endless string

	// Uncancelled says that the sessions have no Cancel that leaves them whole, as those that
	// only a test opens.
	Uncancelled bool
}

// patience bounds every wait for something that should happen at once.
const patience = 20 * time.Second

// Run tests database d on the server that values lead to. It makes and drops
// tables whose names begin with sledge_test.
func Run(t *testing.T, d *database.Database, values option.Values, traits Traits) {
	Sessions(t, d, values, traits)
	s := &suite{d: d, values: values, traits: traits}
	t.Run("explains why it cannot connect", s.testConnectErrors)
}

// Sessions tests the sessions of a database, and not how it connects.
func Sessions(t *testing.T, d *database.Database, values option.Values, traits Traits) {
	s := &suite{d: d, values: values, traits: traits}
	if d.Create != nil {
		for range 2 { // the second time, everything is there already
			if err := d.Create(t.Context(), s.options(t, nil), func(e job.Event) { t.Logf("%+v", e) }); err != nil {
				t.Fatalf("create: %v", err)
			}
		}
	}
	t.Run("binds every type", s.testTypes)
	t.Run("binds what may be NULL", s.testNulls)
	t.Run("binds bytes and times", s.testBytesAndTimes)
	t.Run("runs with many rows", s.testMany)
	t.Run("returns output parameters", s.testOutputs)
	t.Run("finds slips in the binding", s.testSlips)
	t.Run("runs again with new values", s.testRerun)
	t.Run("counts rows and calls each", s.testRows)
	t.Run("commits and rolls back", s.testTransactions)
	t.Run("goes on after a failed statement", s.testFailedStatement)
	t.Run("queries as text", s.testQuery)
	t.Run("loads", s.testLoad)
	t.Run("obeys its context", s.testContext)
	t.Run("is interrupted", s.testInterrupt)
	if !traits.Uncancelled {
		t.Run("goes on after a cancelled statement", s.testCancel)
	}
	t.Run("classifies a deadlock as retryable", s.testDeadlock)
}

type suite struct {
	d      *database.Database
	values option.Values
	traits Traits
}

// options returns bound options, of which the values in changes are different.
func (s *suite) options(t *testing.T, changes option.Values) any {
	t.Helper()
	values := s.values.Clone()
	for name, v := range changes {
		values[name] = v
	}
	options := s.d.Options(database.Use{Name: "suite"})
	if err := option.Bind(s.names(), values, options); err != nil {
		t.Fatal(err)
	}
	return options
}

// names are what the suite calls options, so that a message which names one can be told
// from any other word in it.
func (s *suite) names() option.Names {
	names := option.Names{}
	for _, o := range option.Describe(s.d.Options(database.Use{Name: "suite"})) {
		names[o.Name] = "sledge_test_" + o.Name
	}
	return names
}

func (s *suite) connect(t *testing.T) database.Session {
	t.Helper()
	session, err := s.d.Connect(t.Context(), s.options(t, nil), database.Owner)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return session
}

// table makes an empty table, which is gone when the test ends.
func (s *suite) table(t *testing.T, name string, columns []schema.Column) schema.Table {
	t.Helper()
	declarations := make([]string, len(columns))
	for i, c := range columns {
		declarations[i] = c.Name + " " + s.d.Dialect.Type(c)
		if !c.Null {
			declarations[i] += " NOT NULL"
		}
	}
	s.create(t, name, fmt.Sprintf("%s, PRIMARY KEY (%s)", strings.Join(declarations, ", "), columns[0].Name))
	return schema.Table{Name: name, Columns: columns}
}

// create makes an empty table as it is declared, which is gone when the test ends.
func (s *suite) create(t *testing.T, name, declaration string) {
	t.Helper()
	session := s.connect(t)
	drop := "DROP TABLE IF EXISTS " + name
	mustExec(t, session, drop)
	mustExec(t, session, fmt.Sprintf("CREATE TABLE %s (%s)", name, declaration))
	t.Cleanup(func() {
		// The test's own context is over when cleaning up.
		last, err := s.d.Connect(context.Background(), s.options(t, nil), database.Owner)
		if err != nil {
			t.Errorf("connect to drop %s: %v", name, err)
			return
		}
		if err := last.Exec(context.Background(), drop); err != nil {
			t.Errorf("%s: %v", drop, err)
		}
		if err := last.Close(); err != nil {
			t.Error(err)
		}
	})
}

// counters makes a table with the rows (1, 0) and (2, 0).
func (s *suite) counters(t *testing.T, name string) {
	t.Helper()
	s.table(t, name, []schema.Column{{Name: "id"}, {Name: "n"}})
	session := s.connect(t)
	mustExec(t, session, "INSERT INTO "+name+" (id, n) VALUES (1, 0)")
	mustExec(t, session, "INSERT INTO "+name+" (id, n) VALUES (2, 0)")
}

func (s *suite) prepare(t *testing.T, session database.Session, name, text string, in, out any) database.Statement {
	t.Helper()
	statement, err := session.Prepare(t.Context(), s.parse(t, name, text), in, out)
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	return statement
}

func (s *suite) parse(t *testing.T, name, text string) sqlfile.Query {
	t.Helper()
	q, err := sqlfile.Parse(name, text, s.d.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func (s *suite) describes(name string) bool {
	return slices.ContainsFunc(option.Describe(s.d.Options(database.Use{Name: "suite"})), func(d option.Description) bool {
		return d.Name == name
	})
}

func mustExec(t *testing.T, session database.Session, statement string) {
	t.Helper()
	if err := session.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func mustRun(t *testing.T, statement database.Statement, want int64) {
	t.Helper()
	got, err := statement.Run(t.Context(), nil)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if got != want {
		t.Errorf("got %d rows, want %d", got, want)
	}
}

// wantValue checks the only value that a query returns.
func wantValue(t *testing.T, session database.Session, query, want string) {
	t.Helper()
	got, err := session.Query(t.Context(), query, 0)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if len(got.Rows) != 1 || len(got.Rows[0]) != 1 || got.Rows[0][0] != want {
		t.Errorf("%s: got %q, want %q", query, got.Rows, want)
	}
}

// within runs f and fails the test when it does not end in time.
func within(t *testing.T, limit time.Duration, what string, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		t.Fatalf("%s did not end within %v", what, limit)
		return nil
	}
}
