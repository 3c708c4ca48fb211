package tprocc

import (
	"strings"
	"testing"

	"sledge/internal/option"
)

func TestMix_MayBeAName(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"default", "10,10,1,1,1"},
		{"standard", "45,43,4,4,4"}, // TPC-C 5.2.3, with the rest new orders
		{"read-only", "0,0,0,1,1"},
		{"write-only", "10,10,1,0,0"},
		{" Read_Only", "0,0,0,1,1"},
		{"payment=5", "10,5,1,1,1"},
		{"1,2,3,4,5", "1,2,3,4,5"},
	} {
		got, err := option.Check(newOptions(), "mix", tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%q: got %q, %v; want %q", tt.text, got, err, tt.want)
		}
		again, err := option.Check(newOptions(), "mix", got)
		if err != nil || again != got {
			t.Errorf("%q: got %q, %v after writing and reading it", tt.text, again, err)
		}
	}
	fresh, err := option.Check(newOptions(), "mix", "default")
	if o := newOptions().(*Options); err != nil || fresh != mustText(t, o.Mix) {
		t.Errorf("the mix called default is %s, %v; the default is %v", fresh, err, o.Mix)
	}
	for _, wrong := range []string{"readonly2", "read-onyl", "", "write"} {
		_, err := option.Check(newOptions(), "mix", wrong)
		if err == nil {
			t.Errorf("%q is accepted as a mix", wrong)
		}
	}
	_, err = option.Check(newOptions(), "mix", "read-onyl")
	want := `"read-onyl" is not a mix: name one of default, standard, read-only, write-only, or give weights such as 10,10,1,1,1 or payment=5: did you mean read-only?`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, d := range option.Describe(newOptions()) {
		for _, m := range mixes {
			if d.Name == "mix" && !strings.Contains(d.Help, m.name) {
				t.Errorf("the help of mix does not name %s", m.name)
			}
		}
	}
}

func mustText(t *testing.T, w weights) string {
	t.Helper()
	text, err := w.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
