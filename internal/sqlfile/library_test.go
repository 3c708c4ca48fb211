package sqlfile_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"sledge/internal/sqlfile"
)

var files = fstest.MapFS{
	"own/payment.sql":     {Data: []byte("-- name: update_district\nUPDATE own SET d = :d\n")},
	"ansi/payment.sql":    {Data: []byte("-- about this file\n\n-- name: update_warehouse\nUPDATE warehouse\n-- name: update_district\nUPDATE district\n")},
	"ansi/counter.sql":    {Data: []byte("SELECT 1\n")},
	"ansi/schema.sql":     {Data: []byte("-- a comment\nCREATE TABLE a{{.N}} (x int;\n y int)\n/\nCREATE TABLE b\n/\n-- nothing here\n/\n")},
	"ansi/notes.txt":      {Data: []byte("not SQL")},
	"ansi/sub/nested.sql": {Data: []byte("SELECT 2")},
}

func library(t *testing.T) *sqlfile.Library {
	t.Helper()
	l, err := sqlfile.NewLibrary(func(int) string { return "?" },
		sqlfile.Place{}, sqlfile.Place{Files: files, Dir: "missing"},
		sqlfile.Place{Files: files, Dir: "own"}, sqlfile.Place{Files: files, Dir: "ansi"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLibrary_PrefersStatementsOfEarlierPlace(t *testing.T) {
	l := library(t)
	q, err := l.Query("payment.update_district")
	if err != nil {
		t.Fatal(err)
	}
	if q.Text != "UPDATE own SET d = ?" || !slices.Equal(q.Params, []string{"d"}) {
		t.Errorf("got %q %q", q.Text, q.Params)
	}
	if q, err := l.Query("payment.update_warehouse"); err != nil || q.Text != "UPDATE warehouse" {
		t.Errorf("got %q, %v", q.Text, err)
	}
	if got, want := strings.Join(l.Names("payment."), " "), "payment.update_district payment.update_warehouse"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if l.Has("payment") || l.Has("notes") || l.Has("nested") || !l.Has("counter") {
		t.Errorf("got the statements %q", l.Names(""))
	}
	if _, err := l.Query("missing"); err == nil {
		t.Error("got a missing query")
	}
	if got, err := l.Filled("payment.update_district", map[string]string{"d": "3"}); err != nil || got != "UPDATE own SET d = 3" {
		t.Errorf("filled: got %q, %v", got, err)
	}
	if got, err := l.Filled("missing", nil); err == nil {
		t.Errorf("a missing statement was filled: %q", got)
	}
}

func TestScript_SplitsAtSlashLines(t *testing.T) {
	got, err := library(t).Script("schema", struct{ N int }{7})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-- a comment\nCREATE TABLE a7 (x int;\n y int)", "CREATE TABLE b"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := library(t).Script("schema", map[string]int{}); err == nil {
		t.Error("a template with a missing value was expanded")
	}
	if none, err := library(t).Script("missing", nil); err != nil || len(none) != 0 {
		t.Errorf("a missing script: got %q, %v", none, err)
	}
}

// Neither a section nor a statement may end within quoted text or a comment.
func TestScript_IgnoresSeparatorsInQuotesAndComments(t *testing.T) {
	const routine = "CREATE FUNCTION f() AS $f$\n-- name: inner\n/\n$f$"
	const remark = "/* one\n-- name: two\n/\n*/\nSELECT 1"
	const quote = "SELECT '\n/\n'"
	text := "-- name: all\n{{/* don't */}}" + routine + "\n/\n" + remark + "\n/\n" + quote + "\n/\n/* nothing */\n-- here\n/\n-- name: next\n'\n/\nit's\n"
	l, err := sqlfile.NewLibrary(nil, sqlfile.Place{Files: fstest.MapFS{"a.sql": {Data: []byte(text)}}, Dir: "."})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := l.Names(""), []string{"a.all", "a.next"}; !slices.Equal(got, want) {
		t.Fatalf("got the sections %q, want %q", got, want)
	}
	for name, want := range map[string][]string{
		"a.all":  {routine, remark, quote},
		"a.next": {"'\n/\nit's"},
	} {
		if got, err := l.Script(name, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestRenamed(t *testing.T) {
	l := library(t).Renamed(map[string]string{"own": "OWN", "b": "B", "d": "DISTRICT"})
	if q, err := l.Query("payment.update_district"); err != nil || q.Text != "UPDATE OWN SET DISTRICT = ?" || !slices.Equal(q.Params, []string{"d"}) {
		t.Errorf("got %q %q, %v", q.Text, q.Params, err)
	}
	if got, err := l.Filled("payment.update_district", map[string]string{"d": "'own'"}); err != nil || got != "UPDATE OWN SET DISTRICT = 'own'" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := l.Script("schema", struct{ N int }{1}); err != nil || len(got) != 2 || got[1] != "CREATE TABLE B" {
		t.Errorf("got %q, %v", got, err)
	}
}
