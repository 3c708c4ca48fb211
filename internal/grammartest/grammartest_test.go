package grammartest

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/database/sqlite"
	"sledge/internal/option"
)

func TestGrammarsSayWhereTheyStop(t *testing.T) {
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
		t.Errorf("got %v, want the third line of the bad one", got)
	}
}

// A real server takes what sqlfluff reads here, so a grammar that refuses it is misled by how
// statements are gathered.
func TestStatementsAreWhatTheProgramSends(t *testing.T) {
	statements := Statements(t, sqlite.Database, nil, option.Values{"warehouses": "3"}, option.Values{"scale": "0.01"})
	for _, begins := range []string{"CREATE TABLE", "CREATE INDEX", "SELECT", "UPDATE", "INSERT", "EXPLAIN"} {
		if !slices.ContainsFunc(statements, func(s Statement) bool { return strings.HasPrefix(s.Text, begins) }) {
			t.Errorf("got no statement that begins with %s", begins)
		}
	}
	for _, s := range statements {
		if strings.Contains(s.Text, "{{") || strings.Contains(s.Text, "-- name:") {
			t.Errorf("%s is not what is sent: %s", s.Name, s.Text)
		}
	}
	Check(t, Sqlfluff("sqlite"), statements, map[string]string{
		"EXPLAIN QUERY PLAN": "it knows EXPLAIN alone",
		"AS of":              "it keeps the word of for itself, which SQLite does not",
		"v.of = t.name":      "it keeps the word of for itself, which SQLite does not",
	})
}
