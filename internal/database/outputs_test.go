package database_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// doublingDriver is a driver whose only routine doubles its second parameter and counts its
// calls in the third. None of the databases that there are has a database/sql driver
// with output parameters.
type doublingDriver struct{ calls int64 }

func (d *doublingDriver) Open(string) (driver.Conn, error)    { return d, nil }
func (d *doublingDriver) Prepare(string) (driver.Stmt, error) { return d, nil }
func (d *doublingDriver) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (d *doublingDriver) Close() error                        { return nil }
func (d *doublingDriver) NumInput() int                       { return 3 }
func (d *doublingDriver) Exec([]driver.Value) (driver.Result, error) {
	return nil, errors.ErrUnsupported
}

func (d *doublingDriver) Query([]driver.Value) (driver.Rows, error) {
	return nil, errors.ErrUnsupported
}
func (d *doublingDriver) CheckNamedValue(*driver.NamedValue) error { return nil }
func (d *doublingDriver) ExecContext(_ context.Context, args []driver.NamedValue) (driver.Result, error) {
	by, doubled, calls := args[0].Value.(int64), args[1].Value.(sql.Out), args[2].Value.(sql.Out)
	if !doubled.In || calls.In {
		return nil, errors.New("a parameter goes the wrong way")
	}
	*doubled.Dest.(*int64) *= by
	d.calls++
	*calls.Dest.(*sql.Null[int64]) = sql.Null[int64]{V: d.calls, Valid: true}
	return driver.RowsAffected(0), nil
}

func TestOutputParametersAreTheDrivers(t *testing.T) {
	sql.Register("doubling", &doublingDriver{})
	var in struct {
		By      int64           `sql:"by"`
		Doubled int64           `sql:"doubled,inout"`
		Calls   sql.Null[int64] `sql:"calls,out"`
	}
	q := sqlfile.Query{Name: "double", Text: "double", Params: []string{"by", "doubled", "calls"}}
	for _, outputs := range []bool{false, true} {
		s, err := database.OpenSQL(t.Context(), "doubling", "", database.Dialect{Outputs: outputs})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		call, err := s.Prepare(t.Context(), q, &in, nil)
		if !outputs {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("got %v, want %v", err, errors.ErrUnsupported)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		in.By, in.Doubled = 2, 21
		for range 2 {
			if _, err := call.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if in.Doubled != 84 || in.Calls.V != 2 {
			t.Errorf("got %+v, want 84 in two calls", in)
		}
	}
}

func TestATagSaysWhichWayAValueGoes(t *testing.T) {
	var in struct {
		ID int64 `sql:"id,both"`
	}
	if _, err := database.BindParams(sqlfile.Query{Params: []string{"id"}}, &in); err == nil {
		t.Error("got no error of a tag that says nothing that is known")
	}
}
