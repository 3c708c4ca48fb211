// Package sessions is the suite that the sessions of every database pass. It asks of a
// real server whether they do what the contract in package database says, and knows no
// particular database.
package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/suite"
)

// Subject is whose sessions are tested.
type Subject struct {
	Database *database.Database
	Values   option.Values // that lead to a server
	Name     string        // of the database and the account, unless the values say it; "" is suite

	// Uncancelled says that the sessions have no Cancel that leaves them whole, as those that
	// only a test opens.
	Uncancelled bool

	// Wordless says that errors do not name what they are about, where the client has the words
	// of another server than the one that answers. OutputsApart says that output parameters are
	// tested apart, since SQL alone makes no such procedure there.
	Wordless, OutputsApart bool
}

// patience bounds every wait for something that should happen at once.
const patience = 20 * time.Second

// Run tests the sessions of a subject, and what it says where it cannot connect. It makes
// and drops tables whose names begin with sledge_test.
func Run(t suite.T, of Subject) {
	Sessions(t, of)
	t.Run("explains why it cannot connect", of.tester(t).testConnectErrors)
}

// Sessions tests the sessions of a subject, and not how it connects.
func Sessions(t suite.T, of Subject) {
	s := of.tester(t)
	if s.d.Create != nil {
		for range 2 { // the second time, everything is there already
			if err := s.d.Create(t.Context(), s.options(t, nil), func(e job.Event) { tell(t, e) }); err != nil {
				t.Fatalf("create: %v", err)
			}
		}
	}
	t.Run("binds every type", s.testTypes)
	t.Run("binds what may be NULL", s.testNulls)
	t.Run("binds bytes and times", s.testBytesAndTimes)
	t.Run("runs with many rows", s.testMany)
	if !of.OutputsApart {
		t.Run("returns output parameters", s.testOutputs)
	}
	t.Run("finds slips in the binding", s.testSlips)
	t.Run("runs again with new values", s.testRerun)
	t.Run("counts rows and calls each", s.testRows)
	t.Run("commits and rolls back", s.testTransactions)
	t.Run("goes on after a failed statement", s.testFailedStatement)
	t.Run("queries as text", s.testQuery)
	t.Run("loads", s.testLoad)
	t.Run("obeys its context", s.testContext)
	t.Run("is interrupted", s.testInterrupt)
	if !of.Uncancelled {
		t.Run("goes on after a cancelled statement", s.testCancel)
	}
	t.Run("classifies a deadlock as retryable", s.testDeadlock)
}

// tell logs what making an account and a database has told.
func tell(t suite.T, e job.Event) {
	t.Helper()
	if e.Message != "" {
		t.Logf("%s", e.Message)
	}
	if e.Step != nil {
		t.Logf("%s %s %s %s", e.Step.Stage, e.Step.Name, e.Step.Kind, e.Step.Of)
	}
}

// tester tests the sessions of a database.
type tester struct {
	d        *database.Database
	values   option.Values
	names    option.Names // what the suite calls options
	use      database.Use
	wordless bool

	// What the database's folder says for the suite, in sql/suite; "" where it does not.
	//
	// The outputs create the procedure sledge_test_outputs, which the test of output parameters
	// calls: without, a database has none, and says so.
	//
	// The endless one is a query that takes hours, for a database in which nobody waits for a
	// lock: who changes a row that another transaction has changed fails at once. It stands
	// for the call that waits, and a deadlock is where both fail.
	//
	// One is the query that answers 1, where that is not SELECT 1.
	outputs, endless, one string
}

// tester reads what the database says for the suite.
func (of Subject) tester(t suite.T) *tester {
	t.Helper()
	var places []sqlfile.Place
	for d := of.Database; d != nil; d = d.Base {
		places = append(places, sqlfile.Place{Files: d.SQL, Dir: "sql/suite"})
	}
	sql, err := sqlfile.NewLibrary(of.Database.Dialect.Placeholder, places...)
	if err != nil {
		t.Fatal(err)
	}
	s := &tester{
		d: of.Database, values: of.Values, use: database.Use{Name: cmp.Or(of.Name, "suite")}, wordless: of.Wordless,
		outputs: sql.Text("outputs"), endless: sql.Text("endless"), one: cmp.Or(strings.TrimSpace(sql.Text("one")), "SELECT 1"),
	}
	if of.Name == "" {
		// So that a message which names an option can be told from any other word in it.
		s.names = option.Names{}
		for _, o := range option.Describe(s.d.Options(s.use)) {
			s.names[o.Name] = "sledge_test_" + o.Name
		}
	}
	return s
}

// options returns bound options, of which the values in changes are different.
func (s *tester) options(t suite.T, changes option.Values) any {
	t.Helper()
	values := s.values.Clone()
	for name, v := range changes {
		values[name] = v
	}
	options := s.d.Options(s.use)
	if err := option.Bind(s.names, values, options); err != nil {
		t.Fatal(err)
	}
	return options
}

func (s *tester) connect(t suite.T) database.Session {
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
func (s *tester) table(t suite.T, name string, columns []schema.Column) schema.Table {
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
func (s *tester) create(t suite.T, name, declaration string) {
	t.Helper()
	session := s.connect(t)
	drop := "DROP TABLE " + name
	_ = session.Exec(t.Context(), drop) // of a run that was killed
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
func (s *tester) counters(t suite.T, name string) {
	t.Helper()
	s.table(t, name, []schema.Column{{Name: "id"}, {Name: "n"}})
	session := s.connect(t)
	mustExec(t, session, "INSERT INTO "+name+" (id, n) VALUES (1, 0)")
	mustExec(t, session, "INSERT INTO "+name+" (id, n) VALUES (2, 0)")
}

func (s *tester) prepare(t suite.T, session database.Session, name, text string, in, out any) database.Statement {
	t.Helper()
	statement, err := session.Prepare(t.Context(), s.parse(t, name, text), in, out)
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	return statement
}

func (s *tester) parse(t suite.T, name, text string) sqlfile.Query {
	t.Helper()
	q, err := sqlfile.Parse(name, text, s.d.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func (s *tester) describes(name string) bool {
	return slices.ContainsFunc(option.Describe(s.d.Options(s.use)), func(d option.Description) bool {
		return d.Name == name
	})
}

func mustExec(t suite.T, session database.Session, statement string) {
	t.Helper()
	if err := session.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func mustRun(t suite.T, statement database.Statement, want int64) {
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
func wantValue(t suite.T, session database.Session, query, want string) {
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
func within(t suite.T, limit time.Duration, what string, f func() error) error {
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
