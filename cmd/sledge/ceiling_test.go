//go:build linux

package main_test

import (
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/testserver"
)

// TestCeiling_IsFoundByALaterRun measures a ceiling, runs on a real server, and looks for the ceiling in the
// run's result and in doctor's. The figures do not matter, so the measurement is short and the runs are slow.
func TestCeiling_IsFoundByALaterRun(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	values := server.Values()
	values["dbname"], values["user"] = "sledge_ceiling", "sledge_ceiling"
	p := newProgram(t, values)
	p.must("build", "--db", "pg", "--warehouses", "1")
	defer p.must("delete", "--db", "pg", "--yes")
	run := func() report.Document {
		t.Helper()
		var d report.Document
		if err := json.Unmarshal([]byte(p.must("run", "--db", "pg", "--users", "2", "--rate", "50/s", "--rampup", "0", "--duration", "1s", "--json")), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := run(); d.ClientCeiling != nil {
		t.Errorf("got %+v without a ceiling", d.ClientCeiling)
	}
	var measured report.Document
	if err := json.Unmarshal([]byte(p.must("ceiling", "--users", "16", "--duration", "100ms", "--json")), &measured); err != nil {
		t.Fatal(err)
	}
	if measured.Action != job.MeasureCeiling || measured.Ceiling == nil || measured.Facts.Target != "Sledge's stand-in for PostgreSQL" {
		t.Fatalf("got %+v", measured)
	}
	d := run()
	c := d.ClientCeiling
	if c == nil || c.Job != measured.ID || c.TransactionsPerSecond != measured.Ceiling.TransactionsPerSecond {
		t.Fatalf("got %+v, want the ceiling of job %s", c, measured.ID)
	}
	want := 100 * float64(d.All.Done+d.All.RolledBack) / d.Elapsed / c.TransactionsPerSecond
	if c.Percent < 0.99*want || c.Percent > 1.01*want {
		t.Errorf("the run reached %v %%, want %v", c.Percent, want)
	}
	if shown := p.must("jobs", "show", "last"); !strings.Contains(shown, "of what this machine's client can drive") {
		t.Errorf("the run does not show its ceiling:\n%s", shown)
	}
	if listed := p.must("jobs", "list", "--action", "ceiling"); !strings.Contains(listed, "ceiling") {
		t.Errorf("the ceiling is not listed:\n%s", listed)
	}
	found, _, _ := p.run("doctor", "--db", "pg", "--rate", "900000/s", "--only", "client", "--watch", "0", "--json")
	if !strings.Contains(found, `"client.ceiling"`) || !strings.Contains(found, "of the ceiling of") {
		t.Errorf("doctor does not warn about a rate above the ceiling:\n%s", found)
	}
	if sql := p.must("run", "--db", "pg", "--client-sql", "--users", "1", "--rate", "50/s", "--rampup", "0", "--duration", "1s", "--json"); strings.Contains(sql, "client_ceiling") {
		t.Error("a run with client SQL is compared with a ceiling")
	}
}

// TestCeiling_LeavesNoStandIn stops the program by Ctrl-C, and then kills it.
func TestCeiling_LeavesNoStandIn(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(s.String(), func(t *testing.T) {
			p := newProgram(t, nil)
			c := p.start("ceiling", "--duration", "1m")
			standIn := childOf(t, c.Process.Pid)
			began := time.Now()
			if err := c.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if exit := p.wait(c); s == syscall.SIGINT && exit != job.ExitStopped {
				t.Errorf("the exit code is %d, want %d", exit, job.ExitStopped)
			}
			for runs(standIn) {
				if time.Since(began) > 20*time.Second {
					t.Fatalf("the stand-in, process %d, is still there", standIn.Pid)
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
}

// childOf waits until a process has a child.
func childOf(t *testing.T, pid int) *process.Process {
	t.Helper()
	parent, err := process.NewProcess(int32(pid))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if children, err := parent.Children(); err == nil && len(children) > 0 {
			return children[0]
		}
	}
	t.Fatal("it has not started a stand-in")
	return nil
}

// runs reports whether a process has not ended.
func runs(p *process.Process) bool {
	status, err := p.Status()
	return err == nil && !slices.Contains(status, process.Zombie)
}
