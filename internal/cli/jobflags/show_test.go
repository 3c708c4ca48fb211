package jobflags

import (
	"strings"
	"testing"
)

func TestURLWithoutPassword_RemovesPassword(t *testing.T) {
	for text, want := range map[string]string{
		"postgres://me:secret@db1:5432/tpcc": "postgres://me@db1:5432/tpcc",
		"postgres://me@db1/tpcc":             "postgres://me@db1/tpcc",
		"redis://:secret@db1":                "redis://@db1",
	} {
		if got, had := urlWithoutPassword(text); got != want || had != strings.Contains(text, "secret") {
			t.Errorf("%s: got %s, %t, want %s", text, got, had, want)
		}
	}
}
