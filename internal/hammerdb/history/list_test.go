package history

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitList_EqualsTcl(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          nil,
		" \t\n ":                    nil,
		"a":                         {"a"},
		"  a  b\tc\n":               {"a", "b", "c"},
		"{}":                        {""},
		`""`:                        {""},
		"a {} b":                    {"a", "", "b"},
		"{a b} c":                   {"a b", "c"},
		"{a {b {c}} d} e":           {"a {b {c}} d", "e"},
		`"a b" c`:                   {"a b", "c"},
		`"a{b" c`:                   {"a{b", "c"},
		`a{b c}d`:                   {"a{b", "c}d"},
		`a"b`:                       {`a"b`},
		`a\ b`:                      {"a b"},
		`\{a \}`:                    {"{a", "}"},
		`\\`:                        {`\`},
		`a\`:                        {`a\`},
		`{a\}b}`:                    {`a\}b`}, // in braces the backslash stays
		`{C:\temp\x}`:               {`C:\temp\x`},
		`\t\n\x41\u00e9\101\q`:      {"\t\nAéAq"},
		`\x \u`:                     {"x", "u"},
		`\U0001F600`:                {"😀"},
		"a\\\n   b":                 {"a b"}, // an escaped newline and the white space after it are one space
		`"a\"b"`:                    {`a"b`},
		`tab_list {C "" D "" H ""}`: {"tab_list", `C "" D "" H ""`},
		`\é`:                        {"é"},
	} {
		got, err := splitList(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q and error %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"{", "{a {b}", `"a`, "{a}b", `"a"b`, `{\}`} {
		if got, err := splitList(text); err == nil {
			t.Errorf("%q: got %q, want an error", text, got)
		}
	}
}

func TestDictionary_HasAValueForEachKey(t *testing.T) {
	got, err := splitDict("a 1 b {2 3}")
	if err != nil || !slices.Equal(got, []pair{{"a", "1"}, {"b", "2 3"}}) {
		t.Errorf("got %v and error %v", got, err)
	}
	if _, err := splitDict("a 1 b"); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("a key without a value: got %v, want an error that names the key", err)
	}
}

// FuzzSplitList searches for text that breaks the parser, and for elements that change when they
// are written as a list, with backslashes, and split again.
func FuzzSplitList(f *testing.F) {
	for _, text := range []string{"", "a b", "{a {b} c}", `"a \" b"`, `\x4`, `{\`, "a\\\n b", `\U0010ffffz`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		elements, err := splitList(text)
		if err != nil {
			return
		}
		spelled := make([]string, len(elements))
		for i, e := range elements {
			spelled[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(e) + `"`
		}
		again, err := splitList(strings.Join(spelled, " "))
		if err != nil || !slices.Equal(again, elements) {
			t.Errorf("%q: got %q and error %v, want %q", text, again, err, elements)
		}
	})
}
