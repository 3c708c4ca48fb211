package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestFold_BreaksAtGapsAndWords(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"as wide as it takes", 0, "as wide as it takes"},
		{"just fits", 9, "just fits"},
		{"one two three", 8, "one two\n  three"},
		{"    default: 10; value: a number", 20, "    default: 10;\n      value: a\n      number"},
		{"measure   client 60 TPM   p50 50.0 ms   failed 1", 30, "measure   client 60 TPM\n  p50 50.0 ms   failed 1"}, // parts stay whole
		{"/a/path/without/a/space", 10, "/a/path/wi\n  thout/a/\n  space"},
		{"Größe 数据库 ok", 10, "Größe\n  数据库\n  ok"}, // each character takes two columns
		{"a\tb", 8, "a\n  b"},
		{"", 5, ""},
		{"x", 1, "x"},
	} {
		if got := Fold(test.text, test.width); got != test.want {
			t.Errorf("%q on %d columns: got %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func FuzzNothingFoldedIsTooWide(f *testing.F) {
	f.Add("Vuser 1:TEST RESULT : System achieved 1 NOPM", 20)
	f.Add("  数据 库\t\t x", 7)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 6 || width > 200 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0xfffd }) {
			t.Skip()
		}
		folded := Fold(text, width)
		for line := range strings.SplitSeq(folded, "\n") {
			if Width(line) > width {
				t.Errorf("%q on %d columns: got %q", text, width, line)
			}
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if bare(folded) != bare(text) {
			t.Errorf("%q on %d columns: got %q, which is not the same text", text, width, folded)
		}
	})
}

func TestWriter_FoldsPieces(t *testing.T) {
	var out bytes.Buffer
	columns := 10
	w := NewWriter(&out, func() int { return columns })
	for _, piece := range []string{"one two ", "three", " four\nfive ", "\n"} {
		if n, err := fmt.Fprint(w, piece); n != len(piece) || err != nil {
			t.Errorf("%q: wrote %d bytes, error %v", piece, n, err)
		}
	}
	columns = 30 // the terminal was resized
	fmt.Fprintln(w, "a line that now fits, too")
	want := "one two \n  three\n  four\nfive \na line that now fits, too\n"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReflow_RefillsParagraphs(t *testing.T) {
	text := "The first line is long\nand this is the second.\n\n  set in\n  stays so\nEnd."
	if got := Reflow(text, 80); got != text {
		t.Errorf("got %q of text that fits", got)
	}
	want := "The first line is\nlong and this is the\nsecond.\n\n  set in\n  stays so\nEnd."
	if got := Reflow(text, 20); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFoldCommands_CanBeCopied(t *testing.T) {
	got := FoldCommands("Run\n  sledge run --db pg --users 16", 20)
	if want := "Run\n  sledge run --db \\\n    pg --users 16"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func table() Table {
	t := Table{Columns: []Column{
		{Head: "job", Left: true, Short: func(id string) string { return id[:4] }},
		{Head: "users", Rank: 2},
		{Head: "mean", Rank: 1},
		{Head: "status", Left: true, Wrapped: true},
	}}
	t.Row("6B02AC391111", "16", "1.25", "failed: too many connections")
	t.Row("6B02AC392222", "2", "0.5")
	return t
}

func TestTable_LeavesOutTheHighestRanks(t *testing.T) {
	for _, test := range []struct {
		width      int
		text, left string
	}{
		{0, `job           users  mean  status
6B02AC391111     16  1.25  failed: too many connections
6B02AC392222      2   0.5
`, "[]"},
		{46, `job   users  mean  status
6B02     16  1.25  failed: too many
                   connections
6B02      2   0.5
`, "[]"},
		{34, `job   mean  status
6B02  1.25  failed: too many
            connections
6B02   0.5
`, "[users]"},
		{22, `job   status
6B02  failed: too many
      connections
6B02
`, "[users mean]"},
		{20, `job     6B02AC391111
users   16
mean    1.25
status  failed: too
  many connections

job     6B02AC392222
users   2
mean    0.5
`, "[]"},
	} {
		one := table()
		text, left := one.Text(test.width)
		if text != test.text || fmt.Sprint(left) != test.left {
			t.Errorf("%d columns: got %v and\n%swant %s and\n%s", test.width, left, text, test.left, test.text)
		}
	}
}
