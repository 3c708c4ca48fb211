package console

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"sledge/internal/job"
)

// interrupter is an output that interrupts the console when it receives a certain line.
type interrupter struct {
	bytes.Buffer
	at      string
	console *Console
}

func (i *interrupter) Write(text []byte) (int, error) {
	if strings.Contains(string(text), i.at) {
		i.console.Interrupt()
	}
	return i.Buffer.Write(text)
}

func TestCtrlCCancelsTheDataGeneration(t *testing.T) {
	folder := t.TempDir()
	out := &interrupter{at: "Generating Stock Wid=1"}
	c, err := New(Config{Resolver: resolver, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	out.console = c
	defer c.Close()
	call(t, c, "dgset directory "+folder)
	if _, err := c.Call(context.Background(), Call{Name: "datagenrun"}); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got error %v, want %v", err, ErrInterrupted)
	}
	if !strings.HasSuffix(out.String(), "\nVuser 1:FINISHED FAILED\nALL VIRTUAL USERS COMPLETE\nData Generation cancelled\n") {
		t.Errorf("got %s, want a cancelled generation", out.String())
	}
	if job.ExitOf(c.Failure()) != job.ExitStopped {
		t.Errorf("got failure %v, want the exit code of a stopped job", c.Failure())
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("got files %v, %v, want none", left, err)
	}
}
