package console

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestPrintedLinesHoldNoControlCharacters(t *testing.T) {
	var out bytes.Buffer
	o := &output{to: &out}
	o.print("one\ttab\nü \x1b[2J\x00\r\u009b\x7f")
	if got, want := out.String(), "one\ttab\nü \\x1b[2J\\x00\\x0d\\x9b\\x7f\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// full is a writer that fails like a full disk.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestOutput_ReportsAFailure(t *testing.T) {
	c, _ := newConsole(t, "")
	c.out.to = full{}
	call(t, c, "print bm")
	if err := c.Failure(); !errors.Is(err, errFull) || job.ExitOf(err) != job.ExitError {
		t.Errorf("got the failure %v", err)
	}
	call(t, c, "dbset db nosuch")
	if err := c.Failure(); err == nil || !strings.Contains(err.Error(), "nosuch") {
		t.Errorf("got the failure %v, want the failure of the command", err)
	}
}
