package sessions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/suite"
)

// everyType is a column of every logical type; all but the key may be NULL.
var everyType = []schema.Column{
	{Name: "id"},
	{Name: "small", Type: schema.SmallInteger, Null: true},
	{Name: "large", Type: schema.BigInteger, Null: true},
	{Name: "amount", Type: schema.Decimal, Size: 12, Scale: 2, Null: true},
	{Name: "code", Type: schema.Char, Size: 2, Null: true},
	{Name: "words", Type: schema.Varchar, Size: 200, Null: true},
	{Name: "moment", Type: schema.Timestamp, Null: true},
	{Name: "day", Type: schema.Date, Null: true},
}

// row is a row of everyType, in the Go types that fields may have.
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
	s.table(t, "sledge_test_types", everyType)
	session := s.connect(t)
	var in, out row
	insert := s.prepare(t, session, "insert", "INSERT INTO sledge_test_types (id, small, large, amount, code, words) VALUES (:id, :small, :large, :amount, :code, :words)", &in, nil)
	read := s.prepare(t, session, "select", "SELECT words, id, small, large, amount, code, moment FROM sledge_test_types WHERE id = :id", &in, &out)
	for _, want := range []row{
		{1, 2, 3, 4.25, "ab", "plain"},
		{2, -32768, -9223372036854775808, -9999999999.99, "GC", awkward},
		{3, 32767, 9223372036854775807, 9999999999.99, "BC", strings.Repeat("x", 200)},
		{2147483647, 0, 0, 0.01, "zz", ""},
	} {
		in = want
		mustRun(t, insert, 1)
		out = row{}
		mustRun(t, read, 1)
		if out != want {
			t.Errorf("got %+v, want %+v", out, want)
		}
	}

	mustExec(t, session, "INSERT INTO sledge_test_types (id) VALUES (9)")
	in.ID, out = 9, row{1, 1, 1, 1, "x", "x"}
	mustRun(t, read, 1)
	if want := (row{ID: 9}); out != want {
		t.Errorf("of a row of NULLs: got %+v, want %+v", out, want)
	}

	var sums struct {
		Rows   int64   `sql:"row_count"`
		Amount float64 `sql:"total"`
		None   int64   `sql:"no_value"`
	}
	aggregate := s.prepare(t, session, "aggregate", "SELECT COUNT(*) AS row_count, SUM(amount) AS total, MAX(small) AS no_value FROM sledge_test_types WHERE id = 9", nil, &sums)
	sums.None = 5
	mustRun(t, aggregate, 1)
	if sums.Rows != 1 || sums.Amount != 0 || sums.None != 0 {
		t.Errorf("of the aggregates: got %+v, want 1 and zeros", sums)
	}
}

func (s *tester) testSlips(t suite.T) {
	s.counters(t, "sledge_test_slips")
	session := s.connect(t)
	nowhere := "sledge_test_nowhere"
	if s.wordless {
		nowhere = ""
	}
	for _, tt := range []struct {
		name, text string
		in, out    any
		want       string
	}{
		{"a parameter without a field", "SELECT n FROM sledge_test_slips WHERE id = :missing_field", new(struct {
			ID int64 `sql:"id"`
		}), nil, "missing_field"},
		{"a field without a column", "SELECT n FROM sledge_test_slips", nil, new(struct {
			X int64 `sql:"missing_column"`
		}), "missing_column"},
		{"a field of another type", "SELECT n FROM sledge_test_slips", nil, new(struct {
			N int32 `sql:"n"`
		}), "int32"},
		{"an unknown table", "SELECT n FROM sledge_test_nowhere", nil, new(struct {
			N int64 `sql:"n"`
		}), nowhere},
	} {
		t.Run(tt.name, func(t suite.T) {
			// A database may notice when it prepares or when it runs.
			statement, err := session.Prepare(t.Context(), s.parse(t, "slip", tt.text), tt.in, tt.out)
			if err == nil {
				_, err = statement.Run(t.Context(), nil)
			}
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), tt.want) {
				t.Errorf("got %v, want an error about %s", err, tt.want)
			}
		})
	}
	wantValue(t, session, "SELECT COUNT(*) FROM sledge_test_slips", "2") // the session is none the worse
}

func (s *tester) testRerun(t suite.T) {
	s.counters(t, "sledge_test_rerun")
	session := s.connect(t)
	in := struct {
		ID     int64  `sql:"id"`
		N      int64  `sql:"n"`
		Unused string `sql:"unused"`
	}{}
	out := struct {
		N int64 `sql:"n"`
	}{}
	// A parameter named twice takes the same field both times.
	update := s.prepare(t, session, "update", "UPDATE sledge_test_rerun SET n = n + :n WHERE id = :id AND :id > 0", &in, nil)
	read := s.prepare(t, session, "read", "SELECT n FROM sledge_test_rerun WHERE id = :id", &in, &out)
	for i := range int64(40) { // some drivers change their ways after a few runs
		in.ID, in.N = 1+i%2, i
		mustRun(t, update, 1)
	}
	for id, want := range map[int64]int64{1: 380, 2: 400} { // the sums of the even and of the odd numbers below 40
		in.ID = id
		mustRun(t, read, 1)
		if out.N != want {
			t.Errorf("row %d: got %d, want %d", id, out.N, want)
		}
	}
}

func (s *tester) testRows(t suite.T) {
	s.table(t, "sledge_test_rows", everyType)
	session := s.connect(t)
	type pair struct {
		ID    int64  `sql:"id"`
		Words string `sql:"words"`
	}
	in, out := pair{}, pair{}
	insert := s.prepare(t, session, "insert", "INSERT INTO sledge_test_rows (id, words) VALUES (:id, :words)", &in, nil)
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
	read := s.prepare(t, session, "read", "SELECT id, words FROM sledge_test_rows WHERE id >= :id ORDER BY id", &in, &out)
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
	mustRun(t, read, 0) // the session goes on after each failed
	if out.ID != 77 || out.Words != "before" {
		t.Errorf("no row was read, but out became %+v", out)
	}
	const last = 7
	in.ID = rows - last
	mustRun(t, read, last)
	if out.ID != rows-1 {
		t.Errorf("out holds row %d, want the last row, %d", out.ID, rows-1)
	}

	update := s.prepare(t, session, "update", "UPDATE sledge_test_rows SET small = 1 WHERE id >= :id", &in, nil)
	mustRun(t, update, last)
	in.ID = rows
	mustRun(t, update, 0)
	in.ID = rows - last
	remove := s.prepare(t, session, "delete", "DELETE FROM sledge_test_rows WHERE id >= :id", &in, nil)
	mustRun(t, remove, last)
}

func (s *tester) testTransactions(t suite.T) {
	s.counters(t, "sledge_test_transactions")
	session, other := s.connect(t), s.connect(t)
	in := struct {
		N int64 `sql:"n"`
	}{}
	update := s.prepare(t, session, "update", "UPDATE sledge_test_transactions SET n = :n WHERE id = 1", &in, nil)
	const read = "SELECT n FROM sledge_test_transactions WHERE id = 1"

	if err := session.Rollback(t.Context()); err != nil {
		t.Errorf("rollback without a transaction: %v", err)
	}
	for _, tt := range []struct {
		set  int64
		end  func() error
		want string
	}{
		{1, func() error { return session.Commit(t.Context()) }, "1"},
		{2, func() error { return session.Rollback(t.Context()) }, "1"},
		{3, func() error { return session.Commit(t.Context()) }, "3"},
	} {
		if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		in.N = tt.set
		mustRun(t, update, 1)
		wantValue(t, session, read, fmt.Sprint(tt.set)) // its own change is visible
		if err := tt.end(); err != nil {
			t.Fatal(err)
		}
		wantValue(t, other, read, tt.want)
	}
	if err := session.Rollback(t.Context()); err != nil {
		t.Errorf("rollback after a commit: %v", err)
	}
	wantValue(t, other, read, "3")

	in.N = 4
	mustRun(t, update, 1) // outside a transaction, a statement is its own
	wantValue(t, other, read, "4")

	for _, end := range []func() error{
		func() error { return session.Commit(t.Context()) },
		func() error { return session.Rollback(t.Context()) },
	} {
		if err := session.Begin(t.Context(), database.ReadOnly); err != nil {
			t.Fatal(err)
		}
		wantValue(t, session, read, "4")
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

func (s *tester) testFailedStatement(t suite.T) {
	s.counters(t, "sledge_test_failed")
	session := s.connect(t)
	in := struct {
		ID int64 `sql:"id"`
	}{}
	insert := s.prepare(t, session, "insert", "INSERT INTO sledge_test_failed (id, n) VALUES (:id, 7)", &in, nil)
	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	in.ID = 3
	mustRun(t, insert, 1)
	in.ID = 1 // is there already
	_, err := insert.Run(t.Context(), nil)
	if class := s.d.Classify(err); err == nil || class != meter.Constraint {
		t.Errorf("a duplicate key: got %v, class %v; want class %v", err, class, meter.Constraint)
	}
	if err := session.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantValue(t, session, "SELECT COUNT(*) FROM sledge_test_failed", "2")

	err = session.Exec(t.Context(), "INSERT INTO sledge_test_failed (id, n) VALUES (4, NULL)")
	if class := s.d.Classify(err); err == nil || class != meter.Constraint {
		t.Errorf("a NULL where none may be: got %v, class %v; want class %v", err, class, meter.Constraint)
	}
	err = session.Exec(t.Context(), "THIS IS NOT SQL")
	if class := s.d.Classify(err); err == nil || class != meter.Other {
		t.Errorf("bad syntax: got %v, class %v; want class %v", err, class, meter.Other)
	}
	in.ID = 3
	mustRun(t, insert, 1)
}

func (s *tester) testQuery(t suite.T) {
	s.table(t, "sledge_test_query", everyType)
	session := s.connect(t)
	for id := range 5 {
		mustExec(t, session, fmt.Sprintf("INSERT INTO sledge_test_query (id, words) VALUES (%d, 'text %d')", id, id))
	}
	got, err := session.Query(t.Context(), "SELECT id, words, small FROM sledge_test_query ORDER BY id", 3)
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
		if got, err = session.Query(t.Context(), "SELECT id FROM sledge_test_query", limit); err != nil || len(got.Rows) != want {
			t.Errorf("with limit %d: got %d rows, %v; want %d", limit, len(got.Rows), err, want)
		}
	}
	got, err = session.Query(t.Context(), "SELECT id FROM sledge_test_query WHERE id < 0", 0)
	if err != nil || len(got.Rows) != 0 || !slices.Equal(got.Columns, []string{"id"}) {
		t.Errorf("of nothing: got %q, %v; want column id and no rows", got, err)
	}
	if _, err = session.Query(t.Context(), "SELECT nothing FROM sledge_test_nowhere", 0); err == nil {
		t.Error("a query of a table that is not there succeeded")
	}
}
