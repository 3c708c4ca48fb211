//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sledge/internal/job"
)

// TestScript_EndsAfterSignal signals the program while a script runs a command. In the last case,
// another program that the script runs dies of Ctrl-C first, and the script catches that error.
func TestScript_EndsAfterSignal(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	generate := `dgset("directory", "FOLDER"); dgset("warehouse", 30); datagenrun(); print("next")`
	for _, test := range []struct {
		name, file, script string
		at                 string // beginning of the output line after which the signal is sent
		signal             syscall.Signal
		last               string // line on stderr
	}{
		{"SIGTERM in Python", "a.py", generate, "Vuser 1:Opened File", syscall.SIGTERM, "sledge: stopped by a signal: terminated"},
		{"SIGTERM in Tcl", "a.tcl", `dgset directory FOLDER; dgset warehouse 30; catch datagenrun; puts next`, "Vuser 1:Opened File", syscall.SIGTERM, "sledge: stopped by a signal: terminated"},
		{"Ctrl-C in Python", "a.py", generate, "Vuser 1:Opened File", syscall.SIGINT, "sledge: stopped by Ctrl-C"},
		{"Ctrl-C that another program gets first", "a.tcl", `catch {exec sh -c {kill -INT $$}}; puts on`, "on", syscall.SIGINT, "sledge: stopped by Ctrl-C"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			file := filepath.Join(folder, test.file)
			script := strings.ReplaceAll(test.script, "FOLDER", folder)
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			c := exec.Command(p.path, "console", "auto", file)
			c.Env = p.env
			var stderr bytes.Buffer
			c.Stderr = &stderr
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			overdue := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
			defer overdue.Stop()
			sent := false
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if !sent && strings.HasPrefix(lines.Text(), test.at) {
					sent = true
					if err := c.Process.Signal(test.signal); err != nil {
						t.Fatal(err)
					}
				}
				if lines.Text() == "next" {
					t.Error("the script continued")
				}
			}
			_ = c.Wait() // ProcessState contains the exit code
			if got := c.ProcessState.ExitCode(); got != int(job.ExitStopped) {
				t.Errorf("got %s, want exit code %d", c.ProcessState, job.ExitStopped)
			}
			if said := strings.Split(strings.TrimSpace(stderr.String()), "\n"); said[len(said)-1] != test.last {
				t.Errorf("the last line on stderr: got %q, want %q", said[len(said)-1], test.last)
			}
		})
	}
}

func TestScript_UnraisableErrorsOfPythonFailIt(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	for _, script := range []string{
		"import threading\nt = threading.Thread(target=lambda: {}['key'])\nt.start()\nt.join()\n",
		"import gc\nclass Broken:\n  def __del__(self): {}['key']\nBroken()\ngc.collect()\n",
	} {
		file := filepath.Join(t.TempDir(), "a.py")
		if err := os.WriteFile(file, []byte(script+"print('on')\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, exit := p.run("console", "auto", file)
		if exit != job.ExitError || !strings.HasSuffix(stdout, "\non\n") || !strings.HasSuffix(stderr, "\nsledge: KeyError: 'key'\n") {
			t.Errorf("got exit %d,\n%s\n%s\nof\n%s", exit, stdout, stderr, script)
		}
	}
}

// TestScript_SignalKeepsResultOfRun ends the first run of a script, which would start a second one,
// by each kind of request to end.
func TestScript_SignalKeepsResultOfRun(t *testing.T) {
	t.Parallel()       // it mostly waits
	newConsole(t, nil) // skips the test if a language is missing
	p, database := onSchema(t)
	tcl := "dbset db sqlite; diset connection sqlite_file " + database + "; diset tpcc sqlite_rampup 0; diset tpcc sqlite_rate 100; tcset refreshrate 1; tcstart\ncatch vurun\nvurun\nputs next\n"
	python := "dbset('db', 'sqlite'); diset('connection', 'sqlite_file', '" + database + "'); diset('tpcc', 'sqlite_rampup', 0); diset('tpcc', 'sqlite_rate', 100); tcset('refreshrate', 1); tcstart()\n" +
		"try:\n  vurun()\nfinally:\n  vurun()\n  print('next')\n"
	for _, test := range []struct {
		name, file, script string
		signal             syscall.Signal // 0 closes the reader of the output instead
		last               string         // line on stderr
	}{
		{"SIGTERM in Tcl", "a.tcl", tcl, syscall.SIGTERM, "sledge: stopped by a signal: terminated"},
		{"SIGTERM in Python", "a.py", python, syscall.SIGTERM, "sledge: stopped by a signal: terminated"},
		{"a terminal that hangs up on Tcl", "a.tcl", tcl, syscall.SIGHUP, "sledge: stopped by a signal: hangup"},
		{"a terminal that hangs up on Python", "a.py", python, syscall.SIGHUP, "sledge: stopped by a signal: hangup"},
		{"a pipe from Tcl without a reader", "a.tcl", tcl, 0, "sledge: stopped because the reader of the output has gone"},
		{"a pipe from Python without a reader", "a.py", python, 0, "sledge: stopped because the reader of the output has gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := p.in(t)
			file := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(file, []byte(test.script), 0o600); err != nil {
				t.Fatal(err)
			}
			c := p.command("console", "auto", file)
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // because a terminal signals a whole process group
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			var stderr bytes.Buffer
			c.Stdout, c.Stderr = write, &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			write.Close()
			overdue := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
			defer overdue.Stop()
			p.untilMeasured()
			if test.signal == 0 {
				read.Close()
			} else if err := syscall.Kill(-c.Process.Pid, test.signal); err != nil {
				t.Fatal(err)
			}
			if test.signal != 0 {
				if printed, err := io.ReadAll(read); err != nil || strings.Contains(string(printed), "next") {
					t.Errorf("the script continued, %v:\n%s", err, printed)
				}
			}
			if exit := p.wait(c); exit != job.ExitStopped {
				t.Errorf("got %s, want exit code %d", c.ProcessState, job.ExitStopped)
			}
			if said := lastLine(stderr.String()); said != test.last {
				t.Errorf("the last line on stderr: got %q, want %q", said, test.last)
			}
			if j := p.last(); j.Status != string(job.Partial) || j.Line == "" {
				t.Errorf("got %+v, want a partial result", j)
			}
			p.must("jobs", "delete", "last", "--yes") // so that the next subtest waits for its own run
			if jobs := p.must("jobs", "list", "--action", "run", "--json"); !noJobs(jobs) {
				t.Errorf("got other runs %s, want none: the script continued", jobs)
			}
		})
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
