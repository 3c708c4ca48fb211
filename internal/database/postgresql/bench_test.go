package postgresql_test

import (
	"context"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/host"
	"sledge/internal/sqlfile"
	"sledge/internal/testserver"
)

// BenchmarkStatement measures the client's cost of a statement: user and system time of this
// process, without the server's.
func BenchmarkStatement(b *testing.B) {
	server := testserver.Open(b, "postgresql")
	in := struct {
		A int64 `sql:"a"`
		B int64 `sql:"b"`
	}{100000, 7}
	out := struct {
		Sum int64 `sql:"total"`
	}{}
	for _, bb := range []struct {
		name, text string
		out        any
		inTx       bool
	}{
		{"one row", "SELECT CAST(:a AS integer) + CAST(:b AS integer) AS total", &out, false},
		{"no rows", "SELECT 1 WHERE CAST(:a AS integer) < CAST(:b AS integer)", nil, false},
		{"transaction", "SELECT CAST(:a AS integer) + CAST(:b AS integer) AS total", &out, true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			session := connect(b, server.Values(), database.Owner)
			q, err := sqlfile.Parse("bench", bb.text, postgresql.Database.Dialect.Placeholder)
			if err != nil {
				b.Fatal(err)
			}
			statement, err := session.Prepare(b.Context(), q, &in, bb.out)
			if err != nil {
				b.Fatal(err)
			}
			ctx := context.Background()
			run := func() {
				if bb.inTx {
					if err := session.Begin(ctx, database.ReadWrite); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := statement.Run(ctx, nil); err != nil {
					b.Fatal(err)
				}
				if bb.inTx {
					if err := session.Commit(ctx); err != nil {
						b.Fatal(err)
					}
				}
			}
			run()
			before := host.CPUSeconds()
			b.ReportAllocs()
			for b.Loop() {
				in.A++
				run()
			}
			b.ReportMetric((host.CPUSeconds()-before)*1e6/float64(b.N), "cpu-µs/op")
		})
	}
}
