//go:build unix

package oracle

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"testing"

	ora "github.com/sijms/go-ora/v2"

	"sledge/internal/database"
	"sledge/internal/database/calltest"
	"sledge/internal/sqlfile"
)

func init() {
	calltest.StandIn((&standIn{answers: []answer{
		{text: "neword(", binds: "iiiiioo", outputs: []string{"3001", ".1234|BARBARBAR|GC|.0567|.0432"}},
		{text: "SELECT d_next_o_id", columns: []string{"D_NEXT_O_ID", "D_TAX"}, rows: [][]any{{31, 7}}},
	}}).serve)
}

// inputs are the inputs of a new order.
type inputs struct {
	W   int64 `sql:"w_id"`
	Max int64 `sql:"max_w_id"`
	D   int64 `sql:"d_id"`
	C   int64 `sql:"c_id"`
	N   int64 `sql:"ol_cnt"`
}

var newOrder = inputs{1000, 2000, 7, 2999, 10}

// two holds the same call in two forms: by a session of Sledge, and by the driver alone.
type two struct{ ours, bare func() error }

// callsBeside returns calls to a stand-in: the routine of a new order, and one of its statements in
// client SQL.
func callsBeside(t testing.TB) (routine, statement two) {
	t.Helper()
	options := optionsOf(t, calltest.Beside(t))
	dialled := func() *session {
		s, err := dial(context.Background(), ownerOf(options))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	library, err := sqlfile.NewLibrary(Database.Dialect.Placeholder, sqlfile.Place{Files: files, Dir: "sql/tprocc"})
	if err != nil {
		t.Fatal(err)
	}
	query := func(name string) sqlfile.Query {
		q, err := library.Query(name)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	prepared := func(q sqlfile.Query, in, out any) database.Statement {
		st, err := dialled().Prepare(context.Background(), q, in, out)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	return routineCalls(query("procedure.neword"), prepared, dialled()), statementCalls(query("neworder.select_district"), prepared, dialled())
}

type preparer func(q sqlfile.Query, in, out any) database.Statement

func routineCalls(q sqlfile.Query, prepared preparer, alone *session) two {
	in := newOrder
	var order struct {
		ID int64 `sql:"no_d_next_o_id"`
	}
	st := prepared(q, &in, &order)
	var id, shown string
	stmt := ora.NewStmt(q.Text, alone.conn)
	args := make([]driver.Value, 7)
	outputs := []ora.Out{{Dest: &id, Size: outputSize}, {Dest: &shown, Size: outputSize}}
	return two{
		ours: func() error {
			n, err := st.Run(context.Background(), nil)
			if err == nil && (n != 1 || order.ID != 3001) {
				err = fmt.Errorf("got %d rows and order %d", n, order.ID)
			}
			return err
		},
		bare: func() error {
			args[0], args[1], args[2], args[3], args[4], args[5], args[6] = in.W, in.Max, in.D, in.C, in.N, &outputs[0], &outputs[1]
			_, err := stmt.Exec(args)
			if err == nil && (id != "3001" || shown == "") {
				err = fmt.Errorf("got the outputs %q and %q", id, shown)
			}
			return err
		},
	}
}

func statementCalls(q sqlfile.Query, prepared preparer, alone *session) two {
	in := newOrder
	var district struct {
		Next int64   `sql:"d_next_o_id"`
		Tax  float64 `sql:"d_tax"`
	}
	st := prepared(q, &in, &district)
	stmt := ora.NewStmt(q.Text, alone.conn)
	args, row := make([]driver.Value, 2), make([]driver.Value, 2)
	return two{
		ours: func() error {
			n, err := st.Run(context.Background(), nil)
			if err == nil && (n != 1 || district.Next != 31 || district.Tax != 7) {
				err = fmt.Errorf("got %d rows, and %v", n, district)
			}
			return err
		},
		bare: func() error {
			args[0], args[1] = in.W, in.D
			rows, err := stmt.Query(args)
			if err != nil {
				return err
			}
			for err == nil {
				err = rows.Next(row)
			}
			if err != io.EOF || row[0] != "31" || row[1] != "7" {
				return fmt.Errorf("got %v, %w", row, err)
			}
			return rows.Close()
		},
	}
}

// A call waits for one reply, and allocates no more than a call by the driver alone.
func TestCall_AllocatesNoMoreThanDriver(t *testing.T) {
	routine, statement := callsBeside(t)
	t.Run("routine", func(t *testing.T) { calltest.NoMoreAllocations(t, routine.ours, routine.bare) })
	t.Run("statement", func(t *testing.T) { calltest.NoMoreAllocations(t, statement.ours, statement.bare) })
}

func BenchmarkCall(b *testing.B) {
	routine, statement := callsBeside(b)
	b.Run("routine", func(b *testing.B) { calltest.Compare(b, routine.ours, routine.bare) })
	b.Run("statement", func(b *testing.B) { calltest.Compare(b, statement.ours, statement.bare) })
}
