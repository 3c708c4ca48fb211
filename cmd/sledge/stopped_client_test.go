//go:build unix

package main_test

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/report"
)

func TestRun_InvalidIfClientWasStopped(t *testing.T) {
	p, _ := onSchema(t)
	run := p.start("run", "--db", "sqlite", "--users", "2", "--rampup", "0", "--duration", "4s")
	p.untilMeasured()
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := run.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if s == syscall.SIGSTOP {
			time.Sleep(1500 * time.Millisecond)
		}
	}
	exit := p.wait(run)
	shown := p.must("jobs", "show", "last")
	if exit != job.ExitInvalid || !strings.Contains(shown, "it did not run for 1.") {
		t.Errorf("exit code %d, want %d and a message about the client's pause:\n%s", exit, job.ExitInvalid, shown)
	}
	var j report.Document
	if err := json.Unmarshal([]byte(p.must("jobs", "show", "last", "--json")), &j); err != nil {
		t.Fatal(err)
	}
	c, gap := j.Client, j.LongestGap
	if c == nil || len(c.Pauses) == 0 || c.Paused() < 1.4 || gap == nil || gap.Seconds > 1 {
		t.Errorf("got %+v and %+v, want a pause of 1.5 s and no stall of the server", c, gap)
	}
}
