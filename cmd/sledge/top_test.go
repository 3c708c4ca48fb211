package main_test

import (
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/testserver"
)

// Top draws on a terminal, follows its size and its keys, and gives the terminal back.
func TestTop_DrawsOnATerminal(t *testing.T) {
	p := newProgram(t, testserver.Open(t, "postgresql").Values())
	s := p.show(100, "top", "--db", "postgresql")
	until := func(want string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !strings.Contains(s.soFar(), want); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("got %q in a minute, want %q", s.soFar(), want)
			}
		}
	}
	until("Sessions")
	if !strings.Contains(s.soFar(), "\x1b[?1049h") {
		t.Errorf("got %q, want the alternate screen", s.soFar())
	}
	s.types("4")
	s.size(60)
	until("Blockers]")
	s.types("q")
	text, exit := s.wait()
	if exit != job.OK || !strings.Contains(text, "\x1b[?1049l") {
		t.Errorf("got exit code %d and %q, want the terminal back", exit, text)
	}
}
