package sqlfile_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"sledge/internal/sqlfile"
)

// FuzzParse looks for text that Parse loses, and for parameters that it miscounts.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"SELECT :a, ':b', \"c:d\", `e:f` -- :g\n, x::date", "a = :x AND b = :x", "'it''s'", "':", "--", "::", ":", ":_1:2",
		"/* :a */ :b /*+ :c */", "$$ :a $$ :b", "$t$ :a $$ $t$:b", "a$b$ :c", "a[:n] || ARRAY[:x, [:y]]", "a[(:x):(:y)]", "/*/*", "[(]:x)",
	} {
		f.Add(text)
	}
	const mark = "\x00"
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, mark) {
			t.Skip()
		}
		q, err := sqlfile.Parse("fuzz", text, func(int) string { return mark })
		if err != nil {
			if !strings.Contains(err.Error(), "unterminated") && !strings.Contains(err.Error(), "a comment within a comment") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if got := strings.Count(q.Text, mark); got != len(q.Params) {
			t.Errorf("%q: %d placeholders for %d parameters %q", text, got, len(q.Params), q.Params)
		}
		for _, p := range q.Params {
			if !strings.Contains(text, ":"+p) {
				t.Errorf("%q: it does not contain the parameter %q", text, p)
			}
		}
		if again, err := sqlfile.Parse("fuzz", q.Text, func(int) string { return mark }); len(q.Params) == 0 && (err != nil || again.Text != q.Text) {
			t.Errorf("%q became %q, which became %q, %v", text, q.Text, again.Text, err)
		}
		if len(q.Params) == 0 && !strings.Contains(text, "--") && !strings.Contains(text, "/*") && q.Text != strings.TrimSpace(text) {
			t.Errorf("%q became %q, but contains no parameter or comment", text, q.Text)
		}
	})
}

// FuzzScript looks for statements that Script loses, or splits in the wrong place.
func FuzzScript(f *testing.F) {
	for _, text := range []string{
		"SELECT 1\n/\nSELECT 2", "$$\n/\n$$\n/\n", "'\n/\n", "/*\n/\n*/\n/\nDO", "-- '\n/\nx'", "/\n/\n/", "a$b$\n/\n$b$",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "{{") || strings.Contains(text, "-- name: ") {
			t.Skip() // a template, or a file with sections
		}
		l, err := sqlfile.NewLibrary(nil, sqlfile.Place{Files: fstest.MapFS{"a.sql": {Data: []byte(text)}}, Dir: "."})
		if err != nil {
			t.Fatal(err)
		}
		statements, err := l.Script("a", nil)
		if err != nil {
			t.Fatal(err)
		}
		rest := text
		for _, s := range statements {
			_, after, there := strings.Cut(rest, s)
			if !there {
				t.Fatalf("%q: got the statement %q, which the text does not contain at that place", text, s)
			}
			rest = after
			if whole, err := sqlfile.Parse("fuzz", s, func(int) string { return ":x" }); err == nil && whole.Text == "" {
				t.Errorf("%q: got the statement %q, want none", text, s)
			}
		}
	})
}
