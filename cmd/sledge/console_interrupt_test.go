//go:build unix

package main_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"sledge/internal/interpreter/interpretertest"
)

// TestPythonPrompt_CtrlCInterruptsOnce presses Ctrl-C at a terminal, which signals Sledge and
// Python at the same time. On a busy machine either of them may handle the signal much later than
// the other; the test pauses Sledge to provoke this.
func TestPythonPrompt_CtrlCInterruptsOnce(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	for _, python := range interpretertest.Pythons(t) {
		t.Run(filepath.Base(python), func(t *testing.T) {
			x := pythonOf(t, p, python).terminal("console", "py")
			x.prompt()

			// At the prompt, Ctrl-C discards the line being typed, and no other.
			x.types("#")
			x.sees("#")
			x.rests(python)
			x.types(ctrlC)
			x.prompt()
			x.evaluates(1)
			x.types("#")
			x.sees("#")
			x.rests(python)
			x.stopped(func() {
				x.types(ctrlC)
				x.prompt()
				x.types("import time; time.sleep(0.4); print('whole', 1 + 1)" + enter)
			})
			x.sees("whole 2\r\n")
			x.prompt()

			// Each Ctrl-C ends the Python loop that runs.
			for i := range 3 {
				x.loops()
				x.stopped(func() {
					x.types(ctrlC)
					x.sees("KeyboardInterrupt")
					x.prompt()
					x.types(fmt.Sprintf("time.sleep(0.4); print('next', %d)", i) + enter)
				})
				x.sees(fmt.Sprintf("next %d\r\n", i))
				x.prompt()
			}

			// Python handles each of several Ctrl-C in quick succession.
			for range 3 {
				x.rests(python)
				x.types(ctrlC)
				x.prompt()
			}
			x.loops()
			x.types(ctrlC)
			x.sees("KeyboardInterrupt")
			x.prompt()
			x.rests(python)
			x.types(ctrlC)
			x.prompt()
			x.evaluates(3)

			// Ctrl-C stops a command of the console, and no later one.
			x.types("dbset('db', 'sqlite')" + enter)
			x.sees("Database set to SQLite")
			x.prompt()
			x.types("diset('connection', 'sqlite_file', '" + filepath.Join(t.TempDir(), "t.db") + "')" + enter)
			x.sees("Changed connection:sqlite_file")
			x.prompt()
			x.types("if True: buildschema(); print('not ' + 'reached')" + enter + enter)
			x.sees("Vuser 1:RUNNING")
			x.types(ctrlC + ctrlC)
			x.sees("KeyboardInterrupt")
			x.evaluates(4)
			x.rests(python)
			x.stopped(func() {
				x.types(ctrlC)
				x.prompt()
				x.types("dbset('db', 'pg')" + enter) // Sledge gets this command together with Ctrl-C
			})
			x.sees("Database set to PostgreSQL")
			x.prompt()

			// Ctrl-C stops a script that Tcl evaluates for Python. Tcl's variables survive.
			x.types("tclpy.eval('set kept 17; puts \"in Tcl\"; flush stdout; while 1 {}')" + enter)
			x.sees("in Tcl\r\n")
			x.types(ctrlC)
			x.sees("KeyboardInterrupt")
			x.prompt()
			x.types("tclpy.eval('set kept')" + enter)
			x.sees("'17'")
			x.prompt()

			// An earlier Ctrl-C does not affect the exit code of the prompt.
			x.loops()
			x.types(ctrlC)
			x.sees("KeyboardInterrupt")
			x.prompt()
			x.types(ctrlD)
			if code := x.ends(); code != 0 {
				t.Errorf("got exit code %d, want 0:\n%s", code, x.all)
			}
			x.mu.Lock()
			defer x.mu.Unlock()
			for _, strange := range []string{"bootstrap", "sledge-python", "<sledge>", "not reached"} {
				if strings.Contains(string(x.all), strange) {
					t.Errorf("%q must not be shown in\n%s", strange, x.all)
				}
			}
		})
	}
}

// TestPythonPrompt_TracebacksShowOnlyTypedLines provokes errors in commands, which are defined in
// files of Sledge. The tracebacks must not show these files.
func TestPythonPrompt_TracebacksShowOnlyTypedLines(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	for _, python := range interpretertest.Pythons(t) {
		t.Run(filepath.Base(python), func(t *testing.T) {
			x := pythonOf(t, p, python).terminal("console", "py")
			x.prompt()
			for _, line := range []string{
				"tclpy.eval('error {it broke}')",
				"exec(\"def f():\\n  try: tclpy.eval('error first')\\n  except Exception as e: raise ValueError('second') from e\"); f()",
			} {
				x.types(line + enter)
				x.prompt()
			}
			x.types("quit()" + enter)
			x.ends()
			x.mu.Lock()
			defer x.mu.Unlock()
			all := string(x.all)
			for _, text := range []string{"it broke", "in <module>", "ValueError", "second", "in f"} {
				if !strings.Contains(all, text) {
					t.Errorf("%q is missing in\n%s", text, all)
				}
			}
			for _, strange := range []string{"bootstrap", "sledge-python", "<sledge>"} {
				if strings.Contains(all, strange) {
					t.Errorf("%q must not be shown in\n%s", strange, all)
				}
			}
		})
	}
}

// pythonOf returns the program with another Python, for a subtest.
func pythonOf(t *testing.T, p *program, python string) *program {
	return &program{t: t, path: p.path, repository: p.repository, env: append(slices.Clone(p.env), "SLEDGE_PYTHON="+python, "PYTHON_COLORS=0")}
}

// prompt waits for Python's prompt.
func (x *terminal) prompt() { x.t.Helper(); x.sees("sledge>>> ") }

// evaluates types a command that prints n, and waits for the output and the prompt.
func (x *terminal) evaluates(n int) {
	x.t.Helper()
	x.types(fmt.Sprintf("print('value', %d)", n) + enter)
	x.sees(fmt.Sprintf("value %d\r\n", n))
	x.prompt()
}

// loops starts an endless loop.
func (x *terminal) loops() {
	x.t.Helper()
	x.types("print('be' + 'gun'); exec('while True: pass')" + enter)
	x.sees("begun\r\n")
}

// rests waits until Python waits for a key, because Python's prompt may miss a signal that comes
// while it handles another.
func (x *terminal) rests(python string) {
	x.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		program, err := process.NewProcess(int32(x.command.Process.Pid))
		if err != nil {
			x.t.Fatal(err)
		}
		started, err := program.Children()
		if err != nil {
			x.t.Fatalf("list the child processes: %v", err)
		}
		for _, p := range started {
			// These return an error if the process has ended.
			line, _ := p.Cmdline()
			status, _ := p.Status()
			if strings.HasPrefix(line, python) && slices.Contains(status, process.Sleep) {
				return
			}
		}
		if time.Now().After(end) {
			x.t.Fatalf("none of the %d child processes is %s waiting for a key", len(started), python)
		}
	}
}

// stopped calls a function while the program, but not its children, is paused.
func (x *terminal) stopped(what func()) {
	x.t.Helper()
	if err := x.command.Process.Signal(syscall.SIGSTOP); err != nil {
		x.t.Fatal(err)
	}
	what()
	if err := x.command.Process.Signal(syscall.SIGCONT); err != nil {
		x.t.Fatal(err)
	}
}
