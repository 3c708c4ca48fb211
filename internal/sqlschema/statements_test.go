package sqlschema_test

import (
	"context"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/testserver"
)

// A session executes one statement 5 times, with different values, and each returns 3 rows.
func TestStatements_CountCallsAndRows(t *testing.T) {
	for _, tt := range []struct {
		name     string
		options  []testserver.Option
		prepare  []string
		query    string
		wantText string
	}{
		{
			"postgresql",
			[]testserver.Option{testserver.Version("18"), testserver.Setting("shared_preload_libraries=pg_stat_statements")},
			[]string{"CREATE EXTENSION IF NOT EXISTS pg_stat_statements"},
			"SELECT 'counted %', g FROM generate_series(1, 3) g", "SELECT $1, g FROM generate_series($2, $3) g",
		},
		{
			"mysql", nil,
			[]string{"CREATE DATABASE IF NOT EXISTS sledge_stated", "USE sledge_stated"},
			"SELECT 'counted %' FROM (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) counted", "SELECT ? FROM ( SELECT ? UNION ALL SELECT ? UNION ALL SELECT ? ) `counted`",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planOf(t, tt.name, testserver.Open(t, tt.name, tt.options...))
			s := opened(t, p)
			for _, text := range tt.prepare {
				if err := s.Exec(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			if tt.name == "mysql" {
				t.Cleanup(func() { _ = s.Exec(context.Background(), "DROP DATABASE sledge_stated") })
			}
			ask := p.Server.Statements
			if lacking, err := ask.Lacking(t.Context(), s); err != nil || lacking != "" {
				t.Fatalf("got %q, %v, want statistics", lacking, err)
			}
			for _, value := range []string{"a", "b", "c", "d", "e"} {
				if _, err := s.Query(t.Context(), strings.Replace(tt.query, "%", value, 1), 0); err != nil {
					t.Fatal(err)
				}
			}
			list, err := ask.Counts(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]database.StatementCount{}
			var ids []string
			for _, one := range list {
				found[one.ID] = one
				ids = append(ids, one.ID)
			}
			texts, err := ask.Texts(t.Context(), s, append(ids, "'; DROP TABLE x")) // is left out
			if err != nil {
				t.Fatal(err)
			}
			for id, text := range texts {
				if one := found[id]; text == tt.wantText {
					if one.Calls != 5 || one.Rows != 15 || one.Milliseconds <= 0 || len(one.Others) < 5 {
						t.Errorf("got %+v, want 5 calls and 15 rows", one)
					}
					return
				}
			}
			t.Errorf("got %q, want %q", texts, tt.wantText)
		})
	}
}

func TestStatements_SayHowToGetThem(t *testing.T) {
	for name, want := range map[string]string{"postgresql": "CREATE EXTENSION pg_stat_statements", "mariadb": "performance_schema=ON"} {
		p := planOf(t, name, testserver.Open(t, name))
		if got, err := p.Server.Statements.Lacking(t.Context(), opened(t, p)); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}
