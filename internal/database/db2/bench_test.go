//go:build (linux && db2) || darwin

package db2

import (
	"context"
	"testing"

	"sledge/internal/database"
	"sledge/internal/host"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// BenchmarkCall measures the client's cost of calls, by the processor time of this process. Derby
// runs in another process and answers these statements at once.
func BenchmarkCall(b *testing.B) {
	o := newOptions(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, testserver.Open(b, "derby").Values(), o); err != nil {
		b.Fatal(err)
	}
	s, err := connect(b.Context(), o, database.Owner)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, statement := range []string{
		"CREATE TABLE calls (id INTEGER NOT NULL PRIMARY KEY, words VARCHAR(20), n DECIMAL(12,2))",
		"INSERT INTO calls VALUES (1, 'some words', 2.5)",
		"CREATE PROCEDURE fill_whole (INOUT a BIGINT, IN v BIGINT) LANGUAGE JAVA PARAMETER STYLE JAVA NO SQL EXTERNAL NAME 'java.util.Arrays.fill'",
	} {
		if err := s.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	defer func() {
		for _, statement := range []string{"DROP TABLE calls", "DROP PROCEDURE fill_whole"} {
			if err := s.Exec(context.Background(), statement); err != nil {
				b.Error(err)
			}
		}
	}()
	var v struct {
		ID    int64   `sql:"id"`
		Words string  `sql:"words"`
		N     float64 `sql:"n"`
	}
	var call struct {
		Whole int64 `sql:"whole,inout"`
		V     int64 `sql:"v"`
	}
	v.ID, v.Words, v.N, call.V = 1, "other words", 3.5, 7
	ctx := context.Background() // like a virtual user's, it is never cancelled
	for _, one := range []struct {
		name, text string
		in, out    any
	}{
		{"routine with an output", "CALL fill_whole(:whole, :v)", &call, nil},
		{"update of a row", "UPDATE calls SET words = :words, n = :n WHERE id = :id", &v, nil},
		{"query of a row", "SELECT id, words, n FROM calls WHERE id = :id", &v, &v},
	} {
		b.Run(one.name, func(b *testing.B) {
			st := prepared(b, s, one.text, one.in, one.out)
			if err := s.Begin(ctx, database.ReadWrite); err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := s.Rollback(ctx); err != nil {
					b.Error(err)
				}
			}()
			b.ReportAllocs()
			before := host.CPUSeconds()
			for b.Loop() {
				if _, err := st.Run(ctx, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((host.CPUSeconds()-before)*1e6/float64(b.N), "cpu-µs/op")
		})
	}
}
