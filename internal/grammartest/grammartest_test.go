package grammartest

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/database/sqlite"
	"sledge/internal/option"
)

func TestGrammar_ReportsLineOfProblem(t *testing.T) {
	for name, grammar := range map[string]Grammar{"sqlfluff": Sqlfluff("tsql"), "Microsoft": Microsoft} {
		t.Run(name, func(t *testing.T) { stops(t, grammar) })
	}
}

func stops(t *testing.T, grammar Grammar) {
	statements := []Statement{
		{"good", "CREATE PROCEDURE p @a int AS\nBEGIN\n\tSELECT @a AS a\nEND"},
		{"bad", "SELECT a\nFROM t\nWHERE WHERE b"},
	}
	got := grammar(t, statements)
	if len(got) == 0 || got[0].Statement.Name != "bad" || got[0].Line != 3 || !strings.Contains(got[0].String(), "bad, line 3: ") {
		t.Errorf("got %v, want the third line of the bad statement", got)
	}
}

// SQLite runs these statements in other tests, so a problem here would mean that Statements
// collects them wrongly.
func TestStatements_AreAsSent(t *testing.T) {
	statements := Statements(t, sqlite.Database, nil, option.Values{"warehouses": "3"}, option.Values{"scale": "0.01"})
	for _, begins := range []string{"CREATE TABLE", "CREATE INDEX", "SELECT", "UPDATE", "INSERT", "EXPLAIN"} {
		if !slices.ContainsFunc(statements, func(s Statement) bool { return strings.HasPrefix(s.Text, begins) }) {
			t.Errorf("got no statement that begins with %s", begins)
		}
	}
	for _, s := range statements {
		if strings.Contains(s.Text, "{{") || strings.Contains(s.Text, "-- name:") {
			t.Errorf("%s was not expanded: %s", s.Name, s.Text)
		}
	}
	Check(t, Sqlfluff("sqlite"), statements, map[string]string{
		"EXPLAIN QUERY PLAN": "it knows only EXPLAIN without QUERY PLAN",
		"AS of":              "it reserves the word of, and SQLite does not",
		"v.of = t.name":      "it reserves the word of, and SQLite does not",
	})
}
