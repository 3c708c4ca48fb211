package setup

import "testing"

// Every value must be one word, because Tcl would run a second line as a command.
func TestTclWord_IsOneWord(t *testing.T) {
	for text, want := range map[string]string{
		"":              "{}",
		"db1":           "db1",
		"a b":           "{a b}",
		"a\nexit":       "{a\nexit}",
		"a{\nexit":      `a\{\nexit`,
		"a\\\r\nexec x": `a\\\r\nexec\ x`,
		"[exit]":        "{[exit]}",
		"}[exit]{":      `\}\[exit\]\{`,
	} {
		if got := tclWord(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
