package main_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sledge/internal/job"
)

// TestNoScriptGoesOnAfterASignal sends one while a command is done, or after a
// program that the script waited for has died of it and the script has caught that.
func TestNoScriptGoesOnAfterASignal(t *testing.T) {
	p := newConsole(t, nil)
	generate := `dgset("directory", "FOLDER"); dgset("warehouse", 30); datagenrun(); print("next")`
	for _, test := range []struct {
		name, file, script string
		at                 string // the line at which the signal comes begins so
		signal             syscall.Signal
		last               string // line on stderr
	}{
		{"SIGTERM in Python", "a.py", generate, "Vuser 1:Generating", syscall.SIGTERM, "sledge: stopped by the signal to end: terminated"},
		{"SIGTERM in Tcl", "a.tcl", `dgset directory FOLDER; dgset warehouse 30; catch datagenrun; puts next`, "Vuser 1:Generating", syscall.SIGTERM, "sledge: stopped by the signal to end: terminated"},
		{"Ctrl-C in Python", "a.py", generate, "Vuser 1:Generating", syscall.SIGINT, "sledge: stopped by Ctrl-C"},
		{"Ctrl-C that a program heard of first", "a.tcl", `catch {exec sh -c {kill -INT $$}}; puts on`, "on", syscall.SIGINT, "sledge: stopped by Ctrl-C"},
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
					t.Error("the script goes on")
				}
			}
			_ = c.Wait() // how it ended is in ProcessState
			if got := c.ProcessState.ExitCode(); got != int(job.ExitStopped) {
				t.Errorf("it ended with %s, want %d", c.ProcessState, job.ExitStopped)
			}
			if said := strings.Split(strings.TrimSpace(stderr.String()), "\n"); said[len(said)-1] != test.last {
				t.Errorf("the last line on stderr: got %q, want %q", said[len(said)-1], test.last)
			}
		})
	}
}

func TestErrorsThatPythonOnlyShowsCount(t *testing.T) {
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
