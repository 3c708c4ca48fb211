package oracle

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	ora "github.com/sijms/go-ora/v2"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

type bindings struct {
	ID     int64               `sql:"id"`
	Words  sql.Null[string]    `sql:"words"`
	Moment time.Time           `sql:"moment"`
	Later  sql.Null[time.Time] `sql:"later"`
	Total  int64               `sql:"total,inout"`
}

func parse(t *testing.T, text string) sqlfile.Query {
	t.Helper()
	q, err := sqlfile.Parse("test", text, Database.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestFill(t *testing.T) {
	in := bindings{ID: 70_000, Moment: time.Date(2024, 3, 1, 2, 0, 0, 0, time.FixedZone("east", 5*3600))}
	q := parse(t, "UPDATE t SET words = :words, moment = :moment, later = :later WHERE id = :id")
	if q.Text != "UPDATE t SET words = :p1, moment = :p2, later = :p3 WHERE id = :p4" {
		t.Errorf("got %s", q.Text)
	}
	prepared, err := (&session{}).Prepare(t.Context(), q, &in, nil)
	if err != nil {
		t.Fatal(err)
	}
	st := prepared.(*change)
	st.fill()
	if st.args[0] != nil || st.args[2] != nil || st.args[3] != in.ID {
		t.Errorf("got %v", st.args)
	}
	if moment := st.args[1].(time.Time); !moment.Equal(in.Moment) || moment.Location() != time.UTC {
		t.Errorf("got %v, want the moment in UTC", moment)
	}
	in.Words = sql.Null[string]{V: "here", Valid: true}
	if st.fill(); st.args[0] != "here" {
		t.Errorf("got %v", st.args[0])
	}
	if _, err := (&session{}).Prepare(t.Context(), parse(t, "UPDATE t SET total = :total"), &in, nil); err == nil {
		t.Error("an output of an UPDATE: got no error")
	}
	if _, err := (&session{}).Prepare(t.Context(), q, &in, &struct{}{}); err == nil {
		t.Error("rows of an UPDATE: got no error")
	}
}

func TestBlock_ReturnsOneRow(t *testing.T) {
	var in bindings
	var out struct {
		Number int64 `sql:"number"`
	}
	q := parse(t, "DECLARE n INTEGER;\nBEGIN\n  p(:id, :total, n);\n  :number := n;\n  :said := 'x';\nEND;")
	prepared, err := (&session{}).Prepare(t.Context(), q, &in, &out)
	if err != nil {
		t.Fatal(err)
	}
	b := prepared.(*block)
	if b.fill(); len(b.args) != 4 || b.args[0] != in.ID || len(b.outputs) != 3 || !b.answers {
		t.Fatalf("got %v with the outputs %+v", b.args, b.outputs)
	}
	if total := b.args[1].(*ora.Out); !total.In || b.outputs[0].field != &in.Total {
		t.Errorf("the inout parameter: got %+v", total)
	}
	if number := b.args[2].(*ora.Out); number.In || b.outputs[1].field != &out.Number || number.Size != outputSize {
		t.Errorf("the output: got %+v", number)
	}
	if b.outputs[2].field != nil {
		t.Errorf("a discarded output: got the field %v, want none", b.outputs[2].field)
	}
	var row database.Row
	if _, err := (&session{}).Prepare(t.Context(), q, &in, &row); err != nil || !slices.Equal(row.Columns, []string{"number", "said"}) {
		t.Errorf("got the columns %v, %v", row.Columns, err)
	}
	var other struct {
		Missing int64 `sql:"missing"`
	}
	if _, err := (&session{}).Prepare(t.Context(), q, &in, &other); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a field without an output: got %v", err)
	}
	if _, err := (&session{}).Prepare(t.Context(), parse(t, "BEGIN p(:id); END;"), &in, &out); err == nil {
		t.Error("rows of a block without outputs: got no error")
	}
}

func TestColumns(t *testing.T) {
	number := newLoadColumn(schema.Column{Type: schema.Integer})
	text := newLoadColumn(schema.Column{Type: schema.Decimal})
	for _, v := range []any{int64(7), nil} {
		number.add(v)
	}
	for _, v := range []any{"1.25", nil} {
		text.add(v)
	}
	if got := number.values(); !reflect.DeepEqual(got, []sql.NullInt64{{Int64: 7, Valid: true}, {}}) {
		t.Errorf("got %v", got)
	}
	if got := text.values(); !reflect.DeepEqual(got, []string{"1.25", ""}) {
		t.Errorf("got %v", got)
	}
	var in bindings
	in.Moment = time.Date(2024, 3, 1, 2, 0, 0, 0, time.FixedZone("east", 5*3600))
	moments, words := newColumn(&in.Moment), newColumn(&in.Words)
	moments.add(&in.Moment)
	words.add(&in.Words)
	if got := moments.values().([]sql.NullTime); len(got) != 1 || got[0].Time.Location() != time.UTC || !got[0].Valid {
		t.Errorf("got %v", got)
	}
	if got := words.values(); !reflect.DeepEqual(got, []string{""}) {
		t.Errorf("got %v, want NULL as the empty text", got)
	}
	if words.clear(); len(words.values().([]string)) != 0 {
		t.Error("got values after clear")
	}
	table := schema.Table{Name: "t", Columns: []schema.Column{{Name: "a"}, {Name: "b"}}}
	if got := insertStatement(table); got != "INSERT INTO t (a, b) VALUES (:p1, :p2)" {
		t.Errorf("got %s", got)
	}
}

func TestTexts(t *testing.T) {
	got := texts([]driver.Value{nil, "x", []byte("y"), int64(7), time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)})
	if want := []string{"NULL", "x", "y", "7", "2024-02-29 23:59:58"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
