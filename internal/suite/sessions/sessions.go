// Package sessions is the suite that the sessions of every database must pass. It checks on a real
// server that they obey the contract in package database. It does not know any particular database.
package sessions

import (
	"cmp"
	"context"
	"embed"
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

// Subject is a database and a server whose sessions are tested.
type Subject struct {
	Database *database.Database
	Values   option.Values // options that reach the server
	Name     string        // name of the database and the account, unless the values set it; "" means suite

	// Uncancelled means that the sessions have no Cancel that keeps them usable, such as sessions
	// that only a test opens.
	Uncancelled bool

	// OutputsApart means that another test covers output parameters, because SQL alone cannot
	// create such a procedure on this database.
	OutputsApart bool
}

//go:embed sql
var files embed.FS

// patience is the time limit of each wait for an immediate event.
const patience = 20 * time.Second

// Run tests the sessions of a subject and its errors of connecting. It creates and drops tables
// whose names begin with sledge_test.
func Run(t suite.T, of Subject) {
	Sessions(t, of)
	t.Run("explains why it cannot connect", of.tester(t).testConnectErrors)
}

// Sessions tests the sessions of a subject, but not how it connects.
func Sessions(t suite.T, of Subject) {
	s := of.tester(t)
	if s.d.Container.Create != nil {
		for range 2 { // the second time, everything exists already
			if err := s.d.Container.Create(t.Context(), s.options(t, nil), func(e job.Event) { tell(t, e) }); err != nil {
				t.Fatalf("create: %v", err)
			}
		}
	}
	t.Run("binds every type", s.testTypes)
	t.Run("binds NULL", s.testNulls)
	t.Run("binds bytes and times", s.testBytesAndTimes)
	t.Run("runs with many rows", s.testMany)
	t.Run("refuses many rows if some exist already", s.testManyRefused)
	if !of.OutputsApart {
		t.Run("returns output parameters", s.testOutputs)
	}
	t.Run("finds mistakes in the binding", s.testSlips)
	t.Run("runs again with new values", s.testRerun)
	t.Run("counts rows and calls each", s.testRows)
	t.Run("changes many rows with one statement", s.testRanges)
	t.Run("commits and rolls back", s.testTransactions)
	t.Run("continues after a failed statement", s.testFailedStatement)
	t.Run("rolls back the statements before a failed one", s.testFailedTransaction)
	t.Run("refuses a NULL", s.testNullRefused)
	t.Run("queries as text", s.testQuery)
	t.Run("finds a table by its name in capitals", s.testCapitals)
	t.Run("loads", s.testLoad)
	t.Run("refuses to load an existing row", s.testLoadRefused)
	t.Run("claims exclusively or shared", s.testClaims)
	t.Run("obeys its context", s.testContext)
	t.Run("is interrupted", s.testInterrupt)
	if !of.Uncancelled {
		t.Run("continues after a cancelled statement", s.testCancel)
	}
	t.Run("classifies a deadlock as retryable", s.testDeadlock)
}

// tell logs an event of creating an account and a database.
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
	d       *database.Database
	values  option.Values
	names   option.Names // the suite's names of options
	use     database.Use
	unknown bool // a foreign server, which may accept any password

	// sql holds the statements of the suite. The database's folder sql/suite overrides those of the
	// folder sql of this package. Three statements have no default:
	//
	// outputs creates the procedure sledge_test_outputs, which the test of output parameters calls.
	// A database without it has no output parameters.
	//
	// endless is a call that takes hours. It replaces the call that waits for a lock on a database
	// without lock waits, where one of two transactions that change the same row fails at once or
	// at its commit. On such a database both transactions of a deadlock may fail.
	//
	// lacks has a section for each feature below that the database lacks, with the reason.
	sql    *sqlfile.Library
	schema database.Schema
}

// Features that a database may lack. Their tests are skipped.
const (
	lacksKeys    = "lacks.keys"    // refusing a row whose key exists
	lacksNulls   = "lacks.nulls"   // columns that refuse NULL
	lacksRanges  = "lacks.ranges"  // statements that change many rows
	lacksReading = "lacks.reading" // reading many rows, including the transaction's own changes
	lacksEmpty   = "lacks.empty"   // an empty text that is not NULL; the suite then checks that it is NULL
)

// needs skips the step if the database lacks a feature.
func (s *tester) needs(t suite.T, lacks string) {
	t.Helper()
	if why := s.sql.Text(lacks); why != "" {
		t.Skipf("%s: %s", s.d.Title, why)
	}
}

// tester returns a tester of the subject.
func (of Subject) tester(t suite.T) *tester {
	t.Helper()
	sql, err := library(of.Database)
	if err != nil {
		t.Fatal(err)
	}
	s := &tester{
		d: of.Database, values: of.Values, use: database.Use{Name: cmp.Or(of.Name, "suite")}, unknown: of.Name != "",
		sql: sql, schema: of.Database.Schema(of.Database, sql, nil),
	}
	if of.Name == "" {
		// The names are unusual, so that a test can search messages for them.
		s.names = option.Names{}
		for _, o := range option.Describe(s.d.Options.New(s.use)) {
			s.names[o.Name] = "sledge_test_" + o.Name
		}
	}
	return s
}

// library reads the statements of the suite.
func library(of *database.Database) (*sqlfile.Library, error) {
	var places []sqlfile.Place
	for d := of; d != nil; d = d.Base {
		places = append(places, sqlfile.Place{Files: d.SQL, Dir: "sql/suite"})
	}
	places = append(places, sqlfile.Place{Files: files, Dir: "sql"})
	return sqlfile.NewLibrary(of.Dialect.Placeholder, places...)
}

// Statement is a text that the suite sends to a server in one call.
type Statement struct {
	Name string // "counters.insert"
	Text string
}

// Statements returns the statements that the suite sends to a database, except those that are
// invalid on purpose.
func Statements(of *database.Database) ([]Statement, error) {
	sql, err := library(of)
	if err != nil {
		return nil, err
	}
	var list []Statement
	for _, table := range []schema.Table{counters, everyType, everyBind} {
		create, err := of.Schema(of, sql, nil).Create([]schema.Table{table})
		if err != nil {
			return nil, err
		}
		drop, err := sql.Script("drop", dropping(table))
		if err != nil {
			return nil, err
		}
		for _, text := range append(create, drop...) {
			list = append(list, Statement{table.Name, text})
		}
	}
	for _, name := range sql.Names("") {
		switch {
		case name == "counters.nonsense", name == "drop", strings.HasPrefix(name, "lacks."):
			continue
		case name == "call" && !sql.Has("outputs"):
			continue
		}
		q, err := sql.Query(name)
		if err != nil {
			return nil, err
		}
		list = append(list, Statement{name, q.Text})
	}
	return list, nil
}

// dropping returns the data for a script that drops a table.
func dropping(t schema.Table) any {
	return struct{ Tables, Routines []string }{Tables: []string{t.Name}}
}

// options returns bound options, with the given changes.
func (s *tester) options(t suite.T, changes option.Values) any {
	t.Helper()
	values := s.values.Clone()
	for name, v := range changes {
		values[name] = v
	}
	options := s.d.Options.New(s.use)
	if err := option.Bind(s.names, values, options); err != nil {
		t.Fatal(err)
	}
	return options
}

func (s *tester) connect(t suite.T) database.Session {
	t.Helper()
	session, err := s.d.Sessions.Connect(t.Context(), s.options(t, nil), database.Owner)
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

// table creates an empty table, and drops it when the test ends.
func (s *tester) table(t suite.T, table schema.Table) {
	t.Helper()
	session := s.connect(t)
	_ = s.schema.Drop(t.Context(), session, []string{table.Name}, nil) // left by a killed run
	statements, err := s.schema.Create([]schema.Table{table})
	if err != nil {
		t.Fatal(err)
	}
	made := false
	t.Cleanup(func() { // even if the creation failed: a server may complete a cancelled statement
		// The test's own context has ended by now.
		last, err := s.d.Sessions.Connect(context.Background(), s.options(t, nil), database.Owner)
		if err != nil {
			t.Errorf("connect to drop %s: %v", table.Name, err)
			return
		}
		if err := s.schema.Drop(context.Background(), last, []string{table.Name}, nil); err != nil && made {
			t.Errorf("drop %s: %v", table.Name, err)
		}
		if err := last.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range statements {
		if err := session.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	made = true
}

// counters is a table of numbers.
var counters = schema.Table{
	Name: "sledge_test_counters", Columns: []schema.Column{{Name: "id"}, {Name: "n"}}, Key: []string{"id"},
}

// counter is a row of counters.
type counter struct {
	ID int64 `sql:"id"`
	N  int64 `sql:"n"`
}

// counters creates the table with the rows (1, 0) and (2, 0).
func (s *tester) counters(t suite.T) {
	t.Helper()
	s.table(t, counters)
	in := counter{}
	insert := s.prepare(t, s.connect(t), "counters.insert", &in, nil)
	for in.ID = 1; in.ID <= 2; in.ID++ {
		mustRun(t, insert, 1)
	}
}

// read returns a function that reads a counter in a session.
func (s *tester) read(t suite.T, session database.Session, id int64) func() int64 {
	t.Helper()
	in, out := counter{ID: id}, struct {
		N int64 `sql:"n"`
	}{}
	statement := s.prepare(t, session, "counters.read", &in, &out)
	return func() int64 {
		t.Helper()
		mustRun(t, statement, 1)
		return out.N
	}
}

// prepare prepares a statement of the suite.
func (s *tester) prepare(t suite.T, session database.Session, name string, in, out any) database.Statement {
	t.Helper()
	statement, err := session.Prepare(t.Context(), s.query(t, name), in, out)
	if err != nil {
		t.Fatalf("prepare %s: %v", name, err)
	}
	return statement
}

func (s *tester) query(t suite.T, name string) sqlfile.Query {
	t.Helper()
	q, err := s.sql.Query(name)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func (s *tester) describes(name string) bool {
	return slices.ContainsFunc(option.Describe(s.d.Options.New(s.use)), func(d option.Description) bool {
		return d.Name == name
	})
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

// wantValue checks the single value that a query of the suite returns.
func (s *tester) wantValue(t suite.T, session database.Session, name string, want any) {
	t.Helper()
	got, err := session.Query(t.Context(), s.query(t, name).Text, 0)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(got.Rows) != 1 || len(got.Rows[0]) != 1 || got.Rows[0][0] != fmt.Sprint(want) {
		t.Errorf("%s: got %q, want %v", name, got.Rows, want)
	}
}

// within calls f, and fails the test if f does not return in time.
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
