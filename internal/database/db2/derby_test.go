//go:build (linux && db2) || darwin

package db2

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"slices"
	"strconv"
	"testing"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/jobs"
	"sledge/internal/suite/sessions"
	"sledge/internal/suite/suitetest"
	"sledge/internal/testserver"
	"sledge/internal/workload"
	"sledge/internal/workload/tprocc"
)

func TestMain(m *testing.M) { testserver.Main(m) }

//go:embed testdata/derby
var derbyFiles embed.FS

// onDerby is Db2 as Apache Derby can be it: a relative whose few words of its own stand in
// testdata, and that has neither routines, which Derby has in Java only, nor a count.
func onDerby(t *testing.T) *database.Database {
	t.Helper()
	words, err := fs.Sub(derbyFiles, "testdata/derby")
	if err != nil {
		t.Fatal(err)
	}
	base, d := *Database, *Database
	base.SQL = without{base.SQL, []string{"counter.sql", "routines.sql", "procedure.sql", "installed_routines.sql"}}
	d.Name, d.Base, d.SQL = "derby", &base, words
	return &d
}

// without is a tree of files without some.
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
		Database: onDerby(t), Values: testserver.Open(t, "derby").Values(),
		OutputsApart: true,
	})
}

// TestClientSQL builds a schema, compares every row, checks it, works on it and checks it
// again, with Db2's own client SQL but for how Derby locks what it reads.
func TestClientSQL(t *testing.T) {
	jobs.Run(suitetest.Of(t), jobs.Subject{
		Pair:    catalog.Pair{Database: onDerby(t), Workload: tprocc.Workload},
		Version: "test", Values: option.Values(testserver.Open(t, "derby").Values()), Measured: 8 * time.Second, // so many transactions that the counts can be compared
		Chosen: func(v workload.Variant) bool { return v.Name == "client SQL" },
	})
}

// derbySession is a session on Apache Derby, and drop is run when the test ends.
func derbySession(t *testing.T, drop ...string) database.Session {
	t.Helper()
	o := newOptions(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, testserver.Open(t, "derby").Values(), o); err != nil {
		t.Fatal(err)
	}
	s, err := connect(t.Context(), o, database.Owner)
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

func prepared(t *testing.T, s database.Session, text string, in, out any) database.Statement {
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

// Derby calls methods of Java, of which some fill an array: it has an output of one element.
func TestOutputParametersAreFieldsOrARow(t *testing.T) {
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

// What a call allocates is the runtime's, of which there is nothing on most systems.
func TestACallAllocatesNothing(t *testing.T) {
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
	ctx := context.Background() // as virtual users have it: it is never over
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
		t.Errorf("a transaction of two calls made %v allocations, want none", got)
	}
}
