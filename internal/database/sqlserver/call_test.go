//go:build unix

package sqlserver

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"

	"sledge/internal/database/calltest"
)

func init() {
	answer := append(rows([]string{"no_d_next_o_id"}, []any{int64(3001)}), done(1)...)
	s := &standIn{}
	s.answer = answering(func(request) []byte {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = s.got[:0]
		return answer
	})
	calltest.StandIn(s.serve)
}

// standInBeside starts a stand-in that answers every procedure call at once. It returns two
// functions that call a procedure there: one by a session of Sledge, one by the driver alone.
func standInBeside(t testing.TB) (ours, bare func() error) {
	t.Helper()
	port := calltest.Beside(t)
	dialled := func() *session {
		l := login{server: &newOptionsOf(t, port).server, Database: "tpcc"}
		s, err := dial(context.Background(), l, "tpcc")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}

	in := struct {
		W  int64  `sql:"w_id"`
		D  int64  `sql:"d_id"`
		By string `sql:"c_last"`
	}{1000, 2000, "BARBARBAR"}
	var out struct {
		Order int64 `sql:"no_d_next_o_id"`
	}
	st, err := dialled().Prepare(context.Background(), parsed(t, "EXECUTE dbo.neword @a = :w_id, @b = :d_id, @c = :c_last"), &in, &out)
	if err != nil {
		t.Fatal(err)
	}
	ours = func() error {
		n, err := st.Run(context.Background(), nil)
		if err == nil && (n != 1 || out.Order != 3001) {
			err = fmt.Errorf("got %d rows and order %d", n, out.Order)
		}
		return err
	}

	prepared, err := dialled().conn.PrepareContext(context.Background(), "dbo.neword")
	if err != nil {
		t.Fatal(err)
	}
	args := []driver.NamedValue{{Ordinal: 1, Name: "a"}, {Ordinal: 2, Name: "b"}, {Ordinal: 3, Name: "c"}}
	row := make([]driver.Value, 1)
	bare = func() error {
		args[0].Value, args[1].Value, args[2].Value = in.W, in.D, mssql.VarChar(in.By)
		got, err := prepared.(*mssql.Stmt).QueryContext(context.Background(), args)
		if err != nil {
			return err
		}
		for err == nil {
			if len(got.Columns()) == 0 {
				return fmt.Errorf("got no columns")
			}
			err = got.Next(row)
		}
		if err == io.EOF {
			err = got.(driver.RowsNextResultSet).NextResultSet()
		}
		if err != io.EOF || row[0] != int64(3001) {
			return fmt.Errorf("got %v, %w", row, err)
		}
		return got.Close()
	}
	return ours, bare
}

// A call waits for one reply, and allocates no more than a call by the driver alone.
func TestCall_AllocatesNoMoreThanDriver(t *testing.T) {
	ours, bare := standInBeside(t)
	calltest.NoMoreAllocations(t, ours, bare)
}

func BenchmarkCall(b *testing.B) {
	ours, bare := standInBeside(b)
	calltest.Compare(b, ours, bare)
}
