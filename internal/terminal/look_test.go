package terminal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

func TestLook_ZeroValueIsPlain(t *testing.T) {
	for name, look := range map[string]Look{
		"nothing known": {},
		"a file":        LookOf(&bytes.Buffer{}, false, []string{"TERM=xterm-256color"}),
	} {
		for _, drawn := range []string{look.Strong("x"), look.Faint("x"), look.Figure("x"), look.Good("x"), look.Doubtful("x"), look.Bad("x"), look.Framed("x", 80)} {
			if drawn != "x" {
				t.Errorf("%s: got %q, want only x", name, drawn)
			}
		}
		if look.Redraws {
			t.Errorf("%s: can be redrawn", name)
		}
	}
}

func TestLookOf_FollowsTheEnvironment(t *testing.T) {
	for _, test := range []struct {
		environ                  []string
		redraws, styled, colored bool
	}{
		{[]string{"TERM=xterm-256color", "TTY_FORCE=1"}, true, true, true},
		{[]string{"TERM=xterm-256color", "TTY_FORCE=1", "NO_COLOR=1"}, true, true, false},
		{[]string{"TERM=dumb", "TTY_FORCE=1"}, false, false, false},
		{[]string{"TERM=xterm", "TTY_FORCE=1", "CI=true"}, false, true, true},
	} {
		look := LookOf(&bytes.Buffer{}, true, test.environ)
		if look.Redraws != test.redraws || look.styled != test.styled || look.colored != test.colored {
			t.Errorf("%v: got %+v of profile %v", test.environ, look, colorprofile.Detect(&bytes.Buffer{}, test.environ))
		}
	}
}

func TestLook_AddsNoWidth(t *testing.T) {
	look := Look{styled: true, colored: true}
	if wide := Width(look.Bad("  Größe")); wide != 7 {
		t.Errorf("got %d columns, want 7", wide)
	}
	frame := look.Framed("a line\nand another", 20)
	for line := range strings.SplitSeq(frame, "\n") {
		if Width(line) != 17 {
			t.Errorf("got %q of %d columns, want 17: the longest line, two spaces and a line on each side", line, Width(line))
		}
	}
	if narrow := look.Framed("a line\nand another", 16); narrow != "a line\nand another" {
		t.Errorf("got %q, want no frame, because there is no room for it", narrow)
	}
	one := Table{Columns: []Column{{Left: true}, {}}, Bare: true}
	one.Row(look.Good("ok"), "1")
	one.Row("longer", look.Strong("22"))
	if text, _ := one.Text(80); Width(strings.Split(text, "\n")[0]) != Width(strings.Split(text, "\n")[1]) {
		t.Errorf("got lines of different widths: %q", text)
	}
}
