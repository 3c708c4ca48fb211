package sqlfile_test

import (
	"strings"
	"testing"

	"sledge/internal/sqlfile"
)

// FuzzParse looks for text that Parse loses or parameters that it miscounts.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"SELECT :a, ':b', \"c:d\", `e:f` -- :g\n, x::date", "a = :x AND b = :x", "'it''s'", "':", "--", "::", ":", ":_1:2",
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
			if !strings.Contains(err.Error(), "unterminated") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if got := strings.Count(q.Text, mark); got != len(q.Params) {
			t.Errorf("%q: %d placeholders for %d parameters %q", text, got, len(q.Params), q.Params)
		}
		for _, p := range q.Params {
			if !strings.Contains(text, ":"+p) {
				t.Errorf("%q: there is no parameter %q in it", text, p)
			}
		}
		if len(q.Params) == 0 && !strings.Contains(text, "--") && q.Text != strings.TrimSpace(text) {
			t.Errorf("%q became %q without a parameter or a comment in it", text, q.Text)
		}
	})
}
