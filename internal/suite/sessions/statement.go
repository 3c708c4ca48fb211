package sessions

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/suite"
)

// everyType is a table with a column of every logical type of the workloads. All columns but the
// key may be NULL.
var everyType = schema.Table{Name: "sledge_test_types", Key: []string{"id"}, Columns: []schema.Column{
	{Name: "id"},
	{Name: "small", Type: schema.SmallInteger, Null: true},
	{Name: "large", Type: schema.BigInteger, Null: true},
	{Name: "amount", Type: schema.Decimal, Size: 12, Scale: 2, Null: true},
	{Name: "code", Type: schema.Char, Size: 2, Null: true},
	{Name: "words", Type: schema.Varchar, Size: 200, Null: true},
	{Name: "moment", Type: schema.Timestamp, Null: true},
	{Name: "day", Type: schema.Date, Null: true},
}}

// row is a row of everyType, in the Go types that fields can have.
type row struct {
	ID     int64   `sql:"id"`
	Small  int64   `sql:"small"`
	Large  int64   `sql:"large"`
	Amount float64 `sql:"amount"`
	Code   string  `sql:"code"`
	Words  string  `sql:"words"`
}

const awkward = "it's a \"tab\"\t, a line\n, a \\backslash\\ and a ü: $1 ? :x % NULL"

func (s *tester) testTypes(t suite.T) {
	s.table(t, everyType)
	session := s.connect(t)
	var in struct {
		row
		Cents int64 `sql:"amount_cents"`
	}
	var out row
	var words struct {
		Words string `sql:"words"`
	}
	insert := s.prepare(t, session, "types.insert", &in, nil)
	read := s.prepare(t, session, "types.read", &in, &out)
	readWords := s.prepare(t, session, "types.words", &in, &words)
	for _, want := range []row{
		{1, 2, 3, 4.25, "ab", "plain"},
		{2, -32768, -9223372036854775808, -9999999999.99, "GC", awkward},
		{3, 32767, 9223372036854775807, 9999999999.99, "BC", strings.Repeat("x", 200)},
		{2147483647, 0, 0, 0.01, "zz", ""},
	} {
		in.row, in.Cents = want, int64(math.Round(want.Amount*100))
		mustRun(t, insert, 1)
		out = row{}
		mustRun(t, read, 1)
		if out != want {
			t.Errorf("got %+v, want %+v", out, want)
		}
		if mustRun(t, readWords, 1); words.Words != want.Words {
			t.Errorf("got %q, want %q", words.Words, want.Words)
		}
	}

	in.ID, out = 9, row{1, 1, 1, 1, "x", "x"}
	mustRun(t, s.prepare(t, session, "types.insert_id", &in, nil), 1)
	mustRun(t, read, 1)
	if want := (row{ID: 9}); out != want {
		t.Errorf("a row of NULLs: got %+v, want %+v", out, want)
	}

	var sums struct {
		Rows   int64   `sql:"row_count"`
		Amount float64 `sql:"total"`
		None   int64   `sql:"no_value"`
	}
	aggregate := s.prepare(t, session, "types.aggregate", nil, &sums)
	sums.None = 5
	mustRun(t, aggregate, 1)
	if sums.Rows != 1 || sums.Amount != 0 || sums.None != 0 {
		t.Errorf("aggregates: got %+v, want 1 and zeros", sums)
	}
}

func (s *tester) testSlips(t suite.T) {
	s.counters(t)
	session := s.connect(t)
	for _, tt := range []struct {
		name, statement string
		in, out         any
		want            string
	}{
		{"a parameter without a field", "counters.update", new(struct {
			N int64 `sql:"n"`
		}), nil, `"id"`},
		{"a field without a column", "counters.read", new(counter), new(struct {
			X int64 `sql:"missing_column"`
		}), "missing_column"},
		{"a field of another type", "counters.read", new(counter), new(struct {
			N int32 `sql:"n"`
		}), "int32"},
		{"an unknown table", "counters.nowhere", nil, new(struct {
			N int64 `sql:"n"`
		}), ""},
	} {
		t.Run(tt.name, func(t suite.T) {
			// A database may report the mistake when it prepares the statement, or when it runs it.
			statement, err := session.Prepare(t.Context(), s.query(t, tt.statement), tt.in, tt.out)
			if err == nil {
				_, err = statement.Run(t.Context(), nil)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || s.d.Sessions.Classify(err) != meter.Other {
				t.Errorf("got %v, want an error about %s of class %v", err, tt.want, meter.Other)
			}
		})
	}
	s.wantValue(t, session, "counters.count", 2) // the session is still usable
}

func (s *tester) testRerun(t suite.T) {
	s.counters(t)
	session := s.connect(t)
	in := struct {
		counter
		Unused string `sql:"unused"`
	}{}
	add := s.prepare(t, session, "counters.add", &in, nil)
	for i := range int64(40) { // some drivers change the protocol after a few runs
		in.ID, in.N = 1+i%2, i
		mustRun(t, add, 1)
	}
	for id, want := range map[int64]int64{1: 380, 2: 400} { // the sums of the even and of the odd numbers below 40
		if got := s.read(t, session, id)(); got != want {
			t.Errorf("row %d: got %d, want %d", id, got, want)
		}
	}
}

func (s *tester) testRows(t suite.T) {
	s.table(t, everyType)
	session := s.connect(t)
	type pair struct {
		ID    int64  `sql:"id"`
		Words string `sql:"words"`
	}
	in, out := pair{}, pair{}
	insert := s.prepare(t, session, "types.insert_words", &in, nil)
	const rows = 500
	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	for i := range int64(rows) {
		in.ID, in.Words = i, fmt.Sprintf("row %d %s", i, strings.Repeat("x", 150)) // more than one network buffer in all
		mustRun(t, insert, 1)
	}
	if err := session.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := s.prepare(t, session, "types.from", &in, &out)
	in.ID = 100
	var seen []int64
	n, err := read.Run(t.Context(), func() error {
		if want := fmt.Sprintf("row %d ", out.ID); !strings.HasPrefix(out.Words, want) {
			return fmt.Errorf("row %d has the words %q", out.ID, out.Words)
		}
		seen = append(seen, out.ID)
		return nil
	})
	if err != nil || n != rows-100 || len(seen) != rows-100 || !slices.IsSorted(seen) {
		t.Errorf("got %d rows, %d seen, %v; want %d in order", n, len(seen), err, rows-100)
	}

	enough := errors.New("enough")
	if n, err = read.Run(t.Context(), func() error { return enough }); !errors.Is(err, enough) || n != 1 {
		t.Errorf("each failed on the first row: got %d rows, %v; want 1, %v", n, err, enough)
	}
	in.ID = rows
	out = pair{77, "before"}
	mustRun(t, read, 0) // the session still works after a failed callback
	if out.ID != 77 || out.Words != "before" {
		t.Errorf("no row was read, but out became %+v", out)
	}
	const last = 7
	in.ID = rows - last
	mustRun(t, read, last)
	if out.ID != rows-1 {
		t.Errorf("out holds row %d, want the last row, %d", out.ID, rows-1)
	}

	update, remove := s.prepare(t, session, "types.update", &in, nil), s.prepare(t, session, "types.delete", &in, nil)
	for _, change := range []database.Statement{update, remove} {
		in.ID = 0
		mustRun(t, change, 1)
		in.ID = rows
		mustRun(t, change, 0)
	}
	s.wantValue(t, session, "types.count", rows-1)
}

func (s *tester) testRanges(t suite.T) {
	s.needs(t, lacksRanges)
	s.table(t, everyType)
	session := s.connect(t)
	in := row{}
	insert := s.prepare(t, session, "types.insert_words", &in, nil)
	const rows, last = 20, 7
	for in.ID = range int64(rows) {
		mustRun(t, insert, 1)
	}
	update, remove := s.prepare(t, session, "types.update_from", &in, nil), s.prepare(t, session, "types.delete_from", &in, nil)
	for _, change := range []database.Statement{update, remove} {
		in.ID = rows - last
		mustRun(t, change, last)
		in.ID = rows
		mustRun(t, change, 0)
	}
	s.wantValue(t, session, "types.count", rows-last)
}

func (s *tester) testTransactions(t suite.T) {
	s.counters(t)
	session, other := s.connect(t), s.connect(t)
	in := counter{ID: 1}
	update := s.prepare(t, session, "counters.update", &in, nil)
	read, readOther := s.read(t, session, 1), s.read(t, other, 1)
	wantRead := func(what string, read func() int64, want int64) {
		t.Helper()
		if got := read(); got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}

	if err := session.Rollback(t.Context()); err != nil {
		t.Errorf("rollback without a transaction: %v", err)
	}
	for _, tt := range []struct {
		set  int64
		end  func() error
		want int64
	}{
		{1, func() error { return session.Commit(t.Context()) }, 1},
		{2, func() error { return session.Rollback(t.Context()) }, 1},
		{3, func() error { return session.Commit(t.Context()) }, 3},
	} {
		if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		in.N = tt.set
		mustRun(t, update, 1)
		wantRead("in the transaction", read, tt.set)
		if err := tt.end(); err != nil {
			t.Fatal(err)
		}
		wantRead("after its end", readOther, tt.want)
	}
	if err := session.Rollback(t.Context()); err != nil {
		t.Errorf("rollback after a commit: %v", err)
	}
	wantRead("after a rollback that followed a commit", readOther, 3)

	in.N = 4
	mustRun(t, update, 1)
	wantRead("outside a transaction, where each statement commits itself", readOther, 4)

	for _, end := range []func() error{
		func() error { return session.Commit(t.Context()) },
		func() error { return session.Rollback(t.Context()) },
	} {
		if err := session.Begin(t.Context(), database.ReadOnly); err != nil {
			t.Fatal(err)
		}
		wantRead("in a read-only transaction", read, 4)
		if err := end(); err != nil {
			t.Errorf("end of a read-only transaction: %v", err)
		}
		if err := session.Begin(t.Context(), database.ReadOnly); err != nil {
			t.Fatal(err)
		}
		if err := end(); err != nil {
			t.Errorf("end of an empty transaction: %v", err)
		}
	}
}

// wantConstraint runs a statement that the server must refuse.
func (s *tester) wantConstraint(t suite.T, statement database.Statement) {
	t.Helper()
	_, err := statement.Run(t.Context(), nil)
	if class := s.d.Sessions.Classify(err); err == nil || class != meter.Constraint {
		t.Errorf("got %v, class %v; want class %v", err, class, meter.Constraint)
	}
}

func (s *tester) testFailedStatement(t suite.T) {
	s.counters(t)
	session := s.connect(t)
	in := counter{ID: 1}
	s.wantConstraint(t, s.prepare(t, session, "counters.refused", &in, nil))
	err := session.Exec(t.Context(), s.query(t, "counters.nonsense").Text)
	if class := s.d.Sessions.Classify(err); err == nil || class != meter.Other {
		t.Errorf("bad syntax: got %v, class %v; want class %v", err, class, meter.Other)
	}
	in.ID = 3
	mustRun(t, s.prepare(t, session, "counters.insert", &in, nil), 1)
	s.wantValue(t, session, "counters.count", 3)
}

func (s *tester) testFailedTransaction(t suite.T) {
	s.needs(t, lacksKeys)
	s.counters(t)
	session := s.connect(t)
	in := counter{ID: 3}
	insert, refused := s.prepare(t, session, "counters.insert", &in, nil), s.prepare(t, session, "counters.refused", &in, nil)
	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	mustRun(t, insert, 1)
	in.ID = 1
	s.wantConstraint(t, refused)
	if err := session.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantValue(t, session, "counters.count", 2)
	in.ID = 3
	mustRun(t, insert, 1)
}

func (s *tester) testNullRefused(t suite.T) {
	s.needs(t, lacksNulls)
	s.counters(t)
	session := s.connect(t)
	s.wantConstraint(t, s.prepare(t, session, "counters.null", &counter{ID: 4}, nil))
	s.wantValue(t, session, "counters.count", 2)
}

// testCapitals checks that the server ignores the case of names, unless the dialect declares that
// it does not.
func (s *tester) testCapitals(t suite.T) {
	if s.d.Dialect.TellsCapitals {
		t.Skipf("%s declares that it distinguishes the case of names", s.d.Title)
	}
	s.counters(t)
	if _, err := s.connect(t).Query(t.Context(), "SELECT COUNT(*) FROM SLEDGE_TEST_COUNTERS", 0); err != nil {
		t.Errorf("the table sledge_test_counters is not found by its name in upper case, so the dialect must declare it: %v", err)
	}
}

func (s *tester) testQuery(t suite.T) {
	s.table(t, everyType)
	session := s.connect(t)
	in := row{}
	insert := s.prepare(t, session, "types.insert_words", &in, nil)
	for in.ID = range 5 {
		in.Words = fmt.Sprint("text ", in.ID)
		mustRun(t, insert, 1)
	}
	ask := func(name string, limit int) (database.Table, error) {
		return session.Query(t.Context(), s.query(t, name).Text, limit)
	}
	got, err := ask("types.texts", 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"id", "words", "small"}; !slices.Equal(got.Columns, want) {
		t.Errorf("got columns %q, want %q", got.Columns, want)
	}
	want := [][]string{{"0", "text 0", "NULL"}, {"1", "text 1", "NULL"}, {"2", "text 2", "NULL"}}
	if !slices.EqualFunc(got.Rows, want, slices.Equal) {
		t.Errorf("got %q, want %q", got.Rows, want)
	}
	for limit, want := range map[int]int{0: 5, 1: 1, 5: 5, 9: 5} {
		if got, err = ask("types.ids", limit); err != nil || len(got.Rows) != want {
			t.Errorf("with limit %d: got %d rows, %v; want %d", limit, len(got.Rows), err, want)
		}
	}
	got, err = ask("types.none", 0)
	if err != nil || len(got.Rows) != 0 || !slices.Equal(got.Columns, []string{"id"}) {
		t.Errorf("no rows: got %q, %v; want column id and no rows", got, err)
	}
	if _, err = ask("counters.nowhere", 0); err == nil {
		t.Error("a query of a missing table succeeded")
	}
}
