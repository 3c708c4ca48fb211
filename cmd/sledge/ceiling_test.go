//go:build linux

package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	t.Run("a run whose client has a small CPU quota", func(t *testing.T) { saysThatItWasTheClient(p.in(t)) })
	if sql := p.must("run", "--db", "pg", "--client-sql", "--users", "1", "--rate", "50/s", "--rampup", "0", "--duration", "1s", "--json"); strings.Contains(sql, "client_ceiling") {
		t.Error("a run with client SQL is compared with a ceiling")
	}
}

// saysThatItWasTheClient runs with a twentieth of a core, for a server that has all cores.
func saysThatItWasTheClient(p *program) {
	join := group(p.t, 5*time.Millisecond, 100*time.Millisecond)
	line := []string{"run", "--db", "pg", "--users", "4", "--rampup", "0", "--duration", "5s", "--json"}
	// Where other programs take the cores of the machine, the client may not get all of its quota.
	const most = 3
	for try := 1; ; try++ {
		c := exec.Command("sh", append([]string{"-c", `echo $$ > "$0" && exec "$@"`, join, p.path}, line...)...)
		c.Env, c.Stderr = p.env, &bytes.Buffer{}
		out, err := c.Output()
		if err != nil {
			p.t.Fatalf("%v\n%s", err, c.Stderr)
		}
		var d report.Document
		if err := json.Unmarshal(out, &d); err != nil {
			p.t.Fatal(err)
		}
		if d.Client.CgroupCores == 0.05 && d.Client.Bound() != nil {
			break
		}
		if try == most {
			p.t.Fatalf("got %+v, want a client that is bound by its 0.05 cores", d.Client)
		}
	}
	shown := strings.Join(strings.Fields(p.must("jobs", "show", "last")), " ")
	for _, text := range []string{
		"limited by the client, which could not do more: the server was not the limit", "client-bound ", " from second ",
	} {
		if !strings.Contains(shown, text) {
			p.t.Errorf("got %q, want %q in it", shown, text)
		}
	}
	// Where other programs take the cores, it does not use up its quota in every period.
	if used, kept := "of the cores that it may use (the limit is 90)", "its control group kept it from running"; !strings.Contains(shown, used) && !strings.Contains(shown, kept) {
		p.t.Errorf("got %q, want %q or %q in it", shown, used, kept)
	}
}

// group makes a control group that may run for the quota in each period, and returns the file through which a process joins
// it. It skips the test where it cannot.
func group(t *testing.T, quota, period time.Duration) (join string) {
	t.Helper()
	name := fmt.Sprintf("sledge-test-%d", os.Getpid())
	for _, version := range []struct {
		base, limit, text string
	}{
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", fmt.Sprint(quota.Microseconds())},
		{"/sys/fs/cgroup", "cpu.max", fmt.Sprint(quota.Microseconds(), " ", period.Microseconds())},
	} {
		folder := filepath.Join(version.base, name)
		if _, err := os.Stat(filepath.Join(version.base, "cgroup.procs")); err != nil || os.Mkdir(folder, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(folder); err != nil {
				t.Error(err)
			}
		})
		if version.limit == "cpu.cfs_quota_us" {
			_ = os.WriteFile(filepath.Join(folder, "cpu.cfs_period_us"), fmt.Append(nil, period.Microseconds()), 0o644)
		}
		if os.WriteFile(filepath.Join(folder, version.limit), []byte(version.text), 0o644) == nil {
			return filepath.Join(folder, "cgroup.procs")
		}
	}
	t.Skip("no control group with a CPU limit can be made here")
	return ""
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
