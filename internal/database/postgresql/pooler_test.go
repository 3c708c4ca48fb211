package postgresql_test

import (
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/sqlfile"
	"sledge/internal/testserver"
)

func TestConnect_FindsPoolerAndItsMode(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	library, err := sqlfile.NewLibrary(postgresql.Database.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	pooling := postgresql.Database.Server(library).Pooling
	for _, want := range []database.Pooling{"", database.BySession, database.ByTransaction, database.ByStatement} {
		t.Run("mode "+string(want), func(t *testing.T) {
			values := server.Values()
			if want != "" {
				values = testserver.OpenPooler(t, server, string(want), nil).Values()
			}
			options := bind(t, values)
			open := func() database.Session {
				s, err := postgresql.Database.Sessions.Connect(t.Context(), options, database.Admin)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			s := open()
			if got := pooling(s); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			// Several sessions, so that their statements collide if they share a connection.
			var out struct {
				N int64 `sql:"n"`
			}
			var statements []database.Statement
			for _, text := range []string{"SELECT 1 AS n", "SELECT 2 AS n"} {
				st, err := open().Prepare(t.Context(), sqlfile.Query{Name: "same", Text: text}, nil, &out)
				if err != nil {
					t.Fatal(err)
				}
				statements = append(statements, st)
			}
			for n, st := range statements {
				if _, err := st.Run(t.Context(), nil); err != nil || out.N != int64(n+1) {
					t.Errorf("statement %d: got %d and %v", n+1, out.N, err)
				}
			}
		})
	}
}
