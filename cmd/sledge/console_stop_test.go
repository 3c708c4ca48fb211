//go:build unix

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

// TestScript_SignalEndsBlockedScript signals scripts that wait for something. It signals the
// program alone, as a CI system does, or also its children, as a terminal does.
func TestScript_SignalEndsBlockedScript(t *testing.T) {
	p := newConsole(t, nil)
	tests := []struct {
		name, file, script string
		signal             syscall.Signal
		times              int
		all                bool
		last               string // line on stderr
		late               time.Duration
	}{
		{"a program that Tcl waits for", "a.tcl", "puts on; exec sleep 60", syscall.SIGINT, 1, false, "sledge: stopped by Ctrl-C", 0},
		{"a program that gets it too", "a.tcl", "puts on; exec sleep 60", syscall.SIGINT, 1, true, "sledge: stopped by Ctrl-C", 0},
		{"a program that gets it first", "a.tcl", "exec sh -c {echo on; kill -INT $$} >@stdout", syscall.SIGINT, 1, false, "sledge: stopped by Ctrl-C", 100 * time.Millisecond},
		{"a line that Tcl reads", "a.tcl", "puts on; gets stdin", syscall.SIGINT, 1, false, "sledge: stopped by Ctrl-C", 0},
		{"SIGTERM in a loop of Tcl", "a.tcl", "puts on; while 1 {}", syscall.SIGTERM, 1, true, "sledge: stopped by a signal: terminated", 0},
		{"a line that Python reads", "a.py", "print('on', flush=True)\ninput()", syscall.SIGINT, 1, false, "sledge: stopped by Ctrl-C", 0},
		{"SIGTERM in a loop of Python", "a.py", "print('on', flush=True)\nwhile True: pass", syscall.SIGTERM, 1, true, "sledge: stopped by a signal: terminated", 0},
		{
			"Python, which catches it", "a.py", "import time\nprint('on', flush=True)\nwhile True:\n  try: time.sleep(60)\n  except KeyboardInterrupt: print('on', flush=True)\n",
			syscall.SIGINT, 3, false, "sledge: stopped by Ctrl-C", 0,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(file, []byte(test.script), 0o600); err != nil {
				t.Fatal(err)
			}
			c := exec.Command(p.path, "console", "auto", file)
			c.Env = p.env
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			var stderr bytes.Buffer
			c.Stderr = &stderr
			c.WaitDelay = time.Second // a program that the script started may keep stderr open
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }() // ends remaining children
			overdue := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
			defer overdue.Stop()
			lines := bufio.NewScanner(out)
			to := c.Process.Pid
			if test.all {
				to = -to
			}
			for i := range test.times {
				for lines.Scan() && lines.Text() != "on" {
				}
				if i > 0 { // the script has caught the previous signal
					time.Sleep(apart)
				}
				time.Sleep(test.late)
				if err := syscall.Kill(to, test.signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = c.Wait() // ProcessState contains the exit code
			if got := c.ProcessState.ExitCode(); got != int(job.ExitStopped) {
				t.Errorf("got %s, want exit code %d", c.ProcessState, job.ExitStopped)
			}
			said := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			if last := said[len(said)-1]; last != test.last {
				t.Errorf("the last line on stderr: got %q, want %q", last, test.last)
			}
		})
	}
}
