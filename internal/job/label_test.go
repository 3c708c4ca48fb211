package job

import (
	"strings"
	"testing"
)

func TestParseLabel(t *testing.T) {
	for _, tt := range []struct{ text, name, value string }{
		{"ticket=4711", "ticket", "4711"},
		{"kernel.version=6.1 = new", "kernel.version", "6.1 = new"},
		{"where=Köln", "where", "Köln"},
	} {
		name, value, err := ParseLabel(tt.text)
		if err != nil || name != tt.name || value != tt.value {
			t.Errorf("%s: got %q, %q and %v", tt.text, name, value, err)
		}
	}
	for _, text := range []string{"", "smoke", "smoke=", "=x", "two words=x", "a=b\x1b", "-a=b", "a=" + strings.Repeat("x", 201), strings.Repeat("a", 64) + "=b", "a=\xff"} {
		if name, value, err := ParseLabel(text); err == nil {
			t.Errorf("%q: got %q and %q, want an error", text, name, value)
		}
	}
}

func TestCheckNote(t *testing.T) {
	for text, fits := range map[string]bool{
		"": true, "after the upgrade\n\tof the kernel": true, "a\x1b[2Jb": false, strings.Repeat("ä", 4000): true, strings.Repeat("ä", 4001): false, "\xff": false,
	} {
		if err := CheckNote(text); (err == nil) != fits {
			t.Errorf("%.20q: got %v", text, err)
		}
	}
}
