package sessions

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/suite"
)

// everyField has a field of every type that may be NULL.
type everyField struct {
	ID     int64               `sql:"id"`
	Large  sql.Null[int64]     `sql:"large"`
	Amount sql.Null[float64]   `sql:"amount"`
	Words  sql.Null[string]    `sql:"words"`
	Moment sql.Null[time.Time] `sql:"moment"`
	Data   []byte              `sql:"data"`
}

// plainFields are the fields of everyField with types that cannot be NULL.
type plainFields struct {
	ID     int64     `sql:"id"`
	Large  int64     `sql:"large"`
	Amount float64   `sql:"amount"`
	Words  string    `sql:"words"`
	Moment time.Time `sql:"moment"`
	Data   []byte    `sql:"data"`
}

// cents is an amount for statements whose parameters are whole numbers.
type cents struct {
	Cents sql.Null[int64] `sql:"amount_cents"`
}

// inCents returns a row's amount as cents.
func (r everyField) inCents() cents {
	return cents{sql.Null[int64]{V: int64(math.Round(r.Amount.V * 100)), Valid: r.Amount.Valid}}
}

// boundField is a row of everyField as an input, with the amount in both forms.
type boundField struct {
	everyField
	cents
}

// everyBind is the table of everyField.
var everyBind = schema.Table{
	Name: "sledge_test_binds",
	Columns: []schema.Column{
		{Name: "id"},
		{Name: "large", Type: schema.BigInteger, Null: true},
		{Name: "amount", Type: schema.Decimal, Size: 12, Scale: 2, Null: true},
		{Name: "words", Type: schema.Varchar, Size: 200, Null: true},
		{Name: "moment", Type: schema.Timestamp, Null: true},
		{Name: "data", Type: schema.Bytes, Null: true},
	},
	Key: []string{"id"},
}

func valid[T any](v T) sql.Null[T] { return sql.Null[T]{V: v, Valid: true} }

func everyByte() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

func (s *tester) testNulls(t suite.T) {
	s.table(t, everyBind)
	session := s.connect(t)
	var in boundField
	var out everyField
	insert := s.prepare(t, session, "binds.insert", &in, nil)
	read := s.prepare(t, session, "binds.read", &in, &out)
	moment := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	rows := []everyField{
		{ID: 1, Large: valid[int64](-9223372036854775808), Amount: valid(-4.25), Words: valid(awkward), Moment: valid(moment), Data: everyByte()},
		{ID: 2},
		{ID: 3, Large: valid[int64](0), Amount: valid(0.0), Words: valid(""), Moment: valid(moment.Add(time.Second)), Data: []byte{}},
		{ID: 4, Words: valid("NULL")},
	}
	for _, row := range rows {
		in = boundField{row, row.inCents()}
		mustRun(t, insert, 1)
	}
	in.ID, out = 0, everyField{Large: valid[int64](7), Words: valid("before")}
	var got []everyField
	n, err := read.Run(t.Context(), func() error {
		row := out
		row.Data = bytes.Clone(out.Data) // the next row reuses the buffer
		got = append(got, row)
		return nil
	})
	if err != nil || n != int64(len(rows)) {
		t.Fatalf("got %d rows, %v, want %d", n, err, len(rows))
	}
	if s.sql.Has(lacksEmpty) {
		rows[2].Words, rows[2].Data = sql.Null[string]{}, nil
	}
	for i, want := range rows {
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("row %d: got %+v, want %+v", want.ID, got[i], want)
		}
	}
	s.wantValue(t, session, "binds.nulls", 2)

	plain := plainFields{0, 1, 1, "x", moment, []byte("x")}
	in.ID = 4
	mustRun(t, s.prepare(t, session, "binds.read", &in, &plain), 1)
	if want := (plainFields{ID: 4, Words: "NULL"}); !reflect.DeepEqual(plain, want) {
		t.Errorf("NULLs in fields that cannot be NULL: got %+v, want %+v", plain, want)
	}
}

func (s *tester) testBytesAndTimes(t suite.T) {
	s.table(t, everyBind)
	session := s.connect(t)
	var in struct {
		plainFields
		cents
	}
	var out plainFields
	insert := s.prepare(t, session, "binds.insert", &in, nil)
	read := s.prepare(t, session, "binds.read", &in, &out)
	east := time.FixedZone("east", 5*3600+1800)
	for i, want := range []plainFields{
		{Data: everyByte(), Moment: time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)},
		{Data: []byte("it's \\x41 \\ ? $1 :id"), Moment: time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Data: bytes.Repeat([]byte{0, 255}, cmp.Or(s.d.Dialect.LongestBytes, 100_000)/2), Moment: time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC)},
		{Data: []byte{0}, Moment: time.Date(2024, 3, 1, 2, 0, 0, 0, east)},
	} {
		want.ID = int64(i + 1)
		in.plainFields = want
		mustRun(t, insert, 1)
		mustRun(t, read, 1)
		if !bytes.Equal(out.Data, want.Data) {
			t.Errorf("row %d: got %d bytes that differ from the %d inserted ones", want.ID, len(out.Data), len(want.Data))
		}
		if !out.Moment.Equal(want.Moment) || out.Moment.Location() != time.UTC {
			t.Errorf("row %d: got the time %v, want %v in UTC", want.ID, out.Moment, want.Moment)
		}
	}
	// Other programs must also find the time of day in UTC, for inputs in any zone.
	s.wantValue(t, session, "binds.at", 1)
	in.plainFields = plainFields{ID: 1}
	session = s.connect(t)
	find := s.prepare(t, session, "binds.find", &in, &out)
	in.Moment, in.Data = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), []byte("it's \\x41 \\ ? $1 :id")
	mustRun(t, find, 1)
	if out.ID != 2 {
		t.Errorf("select by bytes and a time: got row %d, want 2", out.ID)
	}
}

// manyRows inserts many rows with one statement, as a transaction does.
type manyRows struct {
	t       suite.T
	session database.Session
	insert  database.Statement
	in      boundField
}

// someMoment is the time in all rows.
var someMoment = time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)

func (s *tester) manyRows(t suite.T) *manyRows {
	t.Helper()
	s.table(t, everyBind)
	m := &manyRows{t: t, session: s.connect(t)}
	m.insert = s.prepare(t, m.session, "binds.insert", &m.in, nil)
	return m
}

// run inserts rows, beginning with number first.
func (m *manyRows) run(first, rows int64) (int64, error) {
	m.t.Helper()
	ctx, in := m.t.Context(), &m.in
	if err := m.session.Begin(ctx, database.ReadWrite); err != nil {
		m.t.Fatal(err)
	}
	in.everyField = everyField{ID: first - 1, Data: []byte{0}}
	n, err := database.RunMany(ctx, m.insert, func() bool {
		if in.ID++; in.ID == first+rows {
			return false
		}
		in.Large.V, in.Large.Valid = in.ID, in.ID%2 == 0
		in.Words, in.Moment, in.Amount = valid(fmt.Sprint("row ", in.ID)), valid(someMoment), valid(float64(in.ID)/4)
		in.cents = in.inCents()
		in.Data[0] = byte(in.ID) // all rows share the buffer, so Run must copy it
		return true
	})
	if err != nil {
		return n, errors.Join(err, m.session.Rollback(ctx))
	}
	return n, m.session.Commit(ctx)
}

// testMany runs a statement with more rows than one batch.
func (s *tester) testMany(t suite.T) {
	m := s.manyRows(t)
	const rows = 2*database.RowsPerBatch + 7
	if n, err := m.run(1, rows); err != nil || n != rows {
		t.Fatalf("got %d rows affected, %v, want %d", n, err, rows)
	}
	s.wantValue(t, m.session, "binds.count", rows)
	s.wantValue(t, m.session, "binds.sum", (rows/2)*(rows/2+1)) // the even numbers
	var out everyField
	read := s.prepare(t, m.session, "binds.read", &m.in, &out)
	m.in.ID = rows
	mustRun(t, read, 1)
	want := everyField{ID: rows, Amount: valid(float64(rows) / 4), Words: valid(fmt.Sprint("row ", rows)), Moment: valid(someMoment), Data: []byte{byte(rows & 255)}}
	if !reflect.DeepEqual(out, want) {
		t.Errorf("the last row: got %+v, want %+v", out, want)
	}
	if n, err := database.RunMany(t.Context(), m.insert, func() bool { return false }); n != 0 || err != nil {
		t.Errorf("no rows: got %d, %v, want 0 and no error", n, err)
	}
}

func (s *tester) testManyRefused(t suite.T) {
	s.needs(t, lacksKeys)
	m := s.manyRows(t)
	const rows = 30
	if n, err := m.run(1, rows); err != nil || n != rows {
		t.Fatalf("got %d rows affected, %v, want %d", n, err, rows)
	}
	if _, err := m.run(rows-20, 100); err == nil || s.d.Sessions.Classify(err).Retryable() { // the first twenty-one exist already
		t.Errorf("existing rows: got %v, want an error that is not retryable", err)
	}
	s.wantValue(t, m.session, "binds.count", rows)
	if n, err := m.run(rows+1, 1); err != nil || n != 1 { // the session is still usable
		t.Errorf("one row more: got %d, %v, want 1", n, err)
	}
}

// outputs are the parameters of the procedure sledge_test_outputs.
type outputs struct {
	N       int64           `sql:"n"`
	Total   int64           `sql:"total,inout"`
	Ratio   float64         `sql:"ratio,out"`
	Words   string          `sql:"words,out"`
	Moment  time.Time       `sql:"moment,out"`
	Data    []byte          `sql:"data,out"`
	Nothing sql.Null[int64] `sql:"nothing,out"`
}

func (s *tester) testOutputs(t suite.T) {
	session := s.connect(t)
	in := outputs{Nothing: valid[int64](1)}
	if !s.sql.Has("outputs") {
		if _, err := session.Prepare(t.Context(), s.query(t, "call"), &in, nil); !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("database without output parameters: got %v, want %v", err, errors.ErrUnsupported)
		}
		t.Skipf("%s declares that it has no output parameters", s.d.Title)
	}
	const drop = "DROP PROCEDURE sledge_test_outputs"
	_ = session.Exec(t.Context(), drop) // left by a killed run
	if err := session.Exec(t.Context(), s.sql.Text("outputs")); err != nil {
		t.Fatalf("create a procedure: %v", err)
	}
	t.Cleanup(func() {
		if err := session.Exec(context.Background(), drop); err != nil {
			t.Error(err)
		}
	})
	statement := s.prepare(t, session, "call", &in, nil)
	for n := int64(1); n < 4; n++ {
		in.N, in.Words = n, "before"
		want := outputs{
			N: n, Total: in.Total + n, Ratio: float64(n) / 4, Words: fmt.Sprint("n is ", n),
			Moment: time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC), Data: []byte{0, 255, '\''},
		}
		if _, err := statement.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(in, want) {
			t.Errorf("got %+v, want %+v", in, want)
		}
	}
}
