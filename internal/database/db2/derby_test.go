//go:build (linux && db2) || darwin

package db2

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/suite"
	"sledge/internal/suite/jobs"
	"sledge/internal/suite/sessions"
	"sledge/internal/suite/suitetest"
	"sledge/internal/testserver"
	"sledge/internal/workload"
	"sledge/internal/workload/tprocc"
)

//go:embed testdata/derby
var derbyFiles embed.FS

// onDerby returns Db2's declaration for Apache Derby: testdata has the SQL that differs. Derby has
// no routines, because it supports only routines in Java, and no counter.
func onDerby() *database.Database {
	words, err := fs.Sub(derbyFiles, "testdata/derby")
	if err != nil {
		panic(err) // the name is not a valid path
	}
	base, d := *Database, *Database
	base.SQL = without{base.SQL, []string{"counter.sql", "routines.sql", "procedure.sql", "installed_routines.sql", "references.sql", "explain.sql"}}
	d.Name, d.Base, d.SQL = "derby", &base, words
	d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
		if o, is := options.(*analytic); is { // Derby has no degree of parallelism
			serial := *o
			serial.Degree = 0
			options = &serial
		}
		return connect(ctx, options, as)
	}
	d.Schema = func(d *database.Database, sql *sqlfile.Library, plan any) database.Schema {
		s := newSchema(d, sql, plan)
		create := s.Create
		s.Create = func(tables []schema.Table) ([]string, error) {
			statements, err := create(tables)
			for i := range statements { // Derby always organizes tables by row, and has no such clause
				statements[i] = strings.Replace(statements[i], " ORGANIZE BY ROW", "", 1)
			}
			return statements, err
		}
		return s
	}
	return &d
}

// without is a file system without the files with the given names.
type without struct {
	fs.FS
	names []string
}

// ReadDir implements fs.ReadDirFS.
func (w without) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return slices.Contains(w.names, e.Name()) }), err
}

func TestSessions(t *testing.T) {
	sessions.Run(suitetest.Of(t), sessions.Subject{
		Database: onDerby(), Values: testserver.Open(t, "derby").Values(),
		OutputsApart: true, Uncancelled: true, // Derby cannot cancel a call: see TestCancel_EndsCall
	})
}

// TestClientSQL builds a schema, compares every row, checks it, runs TPROC-C on it and checks it
// again. It uses Db2's own client SQL, except for the locks of reads. During the run, a routine of
// Derby makes the report that MONREPORT makes on Db2.
func TestClientSQL(t *testing.T) {
	d := onDerby()
	d.Runs.Report = func(any, time.Duration) *database.Report {
		return &database.Report{Title: "SQLTABLES", Make: reportBy("CALL sysibm.sqltables(NULL, 'SLEDGE', 'WARE%', NULL, NULL)")}
	}
	values := option.Values(testserver.Open(t, "derby").Values())
	values["connections"] = "1" // Derby does not lock the oldest order that it finds, so only one delivery may run at a time
	reports := 0
	jobs.Run(suitetest.Of(t), jobs.Subject{
		Pair:    catalog.Pair{Database: d, Workload: tprocc.Workload},
		Version: "test", Values: values, Measured: 8 * time.Second, // long enough for counts that can be compared
		Chosen: func(v workload.Variant) bool { return v.Name == "client SQL" },
		Look: func(t suite.T, _ workload.Variant, told []job.Event) {
			for _, e := range told {
				if e.Headline == nil {
					continue
				}
				reports++
				if r := e.Headline.ServerReport; r == nil || r.Error != "" || !strings.Contains(r.Text, "WAREHOUSE  TABLE") {
					t.Errorf("got the report %+v, want a report that lists the table warehouse", r)
				}
			}
		},
	})
	if reports != 1 {
		t.Errorf("%d runs had a headline, want one", reports)
	}
}

// The rows of a routine become the report; a routine without rows makes an empty report.
func TestReportBy(t *testing.T) {
	s := derbySession(t)
	for call, want := range map[string]string{
		"CALL sysibm.sqltables(NULL, NULL, 'SYSDUMMY1', NULL, NULL)": "  SYSIBM  SYSDUMMY1  ",
		"CALL syscs_util.syscs_set_runtimestatistics(0)":             "",
	} {
		got, err := reportBy(call)(t.Context(), s, nil)
		if err != nil || strings.Contains(got, "\n") || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q, %v, want one line with %q", call, got, err, want)
		}
	}
	if _, err := reportBy("CALL monreport.dbsummary(60)")(t.Context(), s, nil); err == nil {
		t.Error("a missing module returned no error")
	}
}

func TestReport_NeedsLongerMeasuredTime(t *testing.T) {
	o := bound(t, database.Use{Name: "tpcc"}, option.Values{"monreport": "2"})
	if r := report(o, 3*time.Minute); r == nil || r.LeftOut != "" || r.Make == nil || r.Title != "MONREPORT" {
		t.Errorf("got %+v, want a report", r)
	}
	if r := report(o, 2*time.Minute); r == nil || !strings.Contains(r.LeftOut, "monreport") {
		t.Errorf("got %+v, want it left out", r)
	}
	for _, o := range []any{bound(t, database.Use{Name: "tpcc"}, nil), bound(t, database.Use{Name: "tpch", Analytic: true}, nil)} {
		if r := report(o, time.Hour); r != nil {
			t.Errorf("got %+v without a request", r)
		}
	}
}

// Several statements read the settings; a statement that the user may not run is skipped. The
// library also provides a version.
func TestSettings_SkipForbiddenStatements(t *testing.T) {
	plan, err := plan.New(catalog.Pair{Database: onDerby(), Workload: tprocc.Workload}, job.Spec{Action: job.Run, Options: option.Values(testserver.Open(t, "derby").Values())})
	if err != nil {
		t.Fatal(err)
	}
	got, err := plan.Server.Settings(t.Context(), derbySession(t))
	if want := map[string]string{"waitTimeout": "3", "pageSize": "4096", "durability": "test"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if version := derbySession(t).(*session).conn.ServerVersion(); !strings.HasPrefix(version, "10.07") {
		t.Errorf("got the version %q from the library, want Derby's", version)
	}
	refused := &cli.Error{State: "42501", Code: -551, Message: "no privilege"}
	if permitted(fmt.Errorf("asked: %w", refused)) != nil || permitted(database.ErrInterrupted) == nil || permitted(nil) != nil {
		t.Error("want permitted to ignore errors about rights, and no others")
	}
}

// derbySession returns a session on Apache Derby. The statements in drop run when the test ends.
func derbySession(t *testing.T, drop ...string) database.Session {
	t.Helper()
	o := newOptions(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, testserver.Open(t, "derby").Values(), o); err != nil {
		t.Fatal(err)
	}
	s, err := connect(context.Background(), o, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, statement := range drop {
			if err := s.Exec(context.Background(), statement); err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func prepared(t testing.TB, s database.Session, text string, in, out any) database.Statement {
	t.Helper()
	q, err := sqlfile.Parse("query", text, dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Prepare(t.Context(), q, in, out)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// Derby's routines are Java methods. Arrays.fill fills an array, which Derby represents as an
// output parameter.
func TestPrepare_BindsOutputsToFieldsOrRow(t *testing.T) {
	s := derbySession(t, "DROP PROCEDURE fill_whole", "DROP PROCEDURE fill_real")
	for _, create := range []string{
		"CREATE PROCEDURE fill_whole (INOUT a BIGINT, IN v BIGINT)", "CREATE PROCEDURE fill_real (OUT a DOUBLE, IN v DOUBLE)",
	} {
		if err := s.Exec(t.Context(), create+" LANGUAGE JAVA PARAMETER STYLE JAVA NO SQL EXTERNAL NAME 'java.util.Arrays.fill'"); err != nil {
			t.Fatal(err)
		}
	}
	var fields struct {
		Whole int64             `sql:"whole,inout"`
		Real  sql.Null[float64] `sql:"real,out"`
		V     int64             `sql:"v"`
		W     float64           `sql:"w"`
	}
	whole, real := prepared(t, s, "CALL fill_whole(:whole, :v)", &fields, nil), prepared(t, s, "CALL fill_real(:real, :w)", &fields, nil)
	var out struct {
		Real float64 `sql:"answer"`
	}
	row, rows := prepared(t, s, "CALL fill_real(:answer, :w)", &fields, &out), database.Row{}
	text := prepared(t, s, "CALL fill_real(:answer, :w)", &fields, &rows)
	for n := range int64(3) {
		fields.V, fields.W = n+1<<40, float64(n)+0.25
		for _, st := range []database.Statement{whole, real, row, text} {
			if _, err := st.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if fields.Whole != fields.V || !fields.Real.Valid || fields.Real.V != fields.W || out.Real != fields.W {
			t.Errorf("got %+v and %+v", fields, out)
		}
		if got, err := strconv.ParseFloat(rows.Values[0], 64); err != nil || got != fields.W || rows.Columns[0] != "answer" {
			t.Errorf("got %v as text, want %v", rows, fields.W)
		}
	}
}

// Derby cannot cancel a call, so the library closes the connection. It must not silently reconnect.
func TestCancel_EndsCall(t *testing.T) {
	holder := derbySession(t, "DROP TABLE cancelled")
	for _, statement := range []string{"CREATE TABLE cancelled (n INTEGER)", "INSERT INTO cancelled VALUES (1)"} {
		if err := holder.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	s := derbySession(t)
	if err := holder.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	if err := holder.Exec(t.Context(), "UPDATE cancelled SET n = 2"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { _ = s.Cancel(context.Background()) })
	err := s.Exec(context.Background(), "UPDATE cancelled SET n = 3")
	if err == nil || Classify(err) == meter.LockTimeout {
		t.Errorf("got %v, want the call to end before the server's lock timeout", err)
	}
	if _, err := s.Query(t.Context(), "SELECT 1 FROM sysibm.sysdummy1", 0); err == nil || Classify(err) != meter.Connection {
		t.Errorf("the next statement: got %v, want a lost connection", err)
	}
	if err := holder.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
}

// A call allocates nothing of ours. On most systems, the Go runtime allocates nothing for it,
// either.
func TestCall_AllocatesNothing(t *testing.T) {
	s := derbySession(t, "DROP TABLE calls")
	if err := s.Exec(t.Context(), "CREATE TABLE calls (id INTEGER NOT NULL PRIMARY KEY, words VARCHAR(20), n DECIMAL(12,2))"); err != nil {
		t.Fatal(err)
	}
	var v struct {
		ID    int64   `sql:"id"`
		Words string  `sql:"words"`
		N     float64 `sql:"n"`
	}
	v.ID, v.Words, v.N = 1, "some words", 2.5
	insert := prepared(t, s, "INSERT INTO calls (id, words, n) VALUES (:id, :words, :n)", &v, nil)
	if _, err := insert.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	update := prepared(t, s, "UPDATE calls SET words = :words, n = :n WHERE id = :id", &v, nil)
	read := prepared(t, s, "SELECT id, words, n FROM calls WHERE id = :id", &v, &v)
	ctx := context.Background() // like a virtual user's, it is never cancelled
	got := testing.AllocsPerRun(100, func() {
		if err := s.Begin(ctx, database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		for _, st := range []database.Statement{update, read} {
			if n, err := st.Run(ctx, nil); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := s.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	})
	if got > 0 {
		t.Errorf("got %v allocations for a transaction of two calls, want 0", got)
	}
}
