package interpreter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/interpreter/interpretertest"
)

// scripted is a Python whose output goes to a file.
type scripted struct {
	*Python
	folder string
	calls  []string
}

func newScripted(t *testing.T, program string) *scripted {
	t.Helper()
	s := &scripted{folder: t.TempDir()}
	output, err := os.OpenFile(s.path("output"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { output.Close() })
	s.Python, err = NewPython(Config{
		Commands: []string{"do", "fail", "stop", "print", "help", "quit"},
		Words:    []string{"dict", "db"},
		Handle: func(_ context.Context, call Call) (string, error) {
			s.calls = append(s.calls, fmt.Sprintf("%s%q", call.Name, call.Args))
			switch call.Name {
			case "fail":
				return "", errors.New("no such thing")
			case "stop":
				return "", ErrInterrupted
			case "quit":
				return "", ErrQuit
			}
			fmt.Fprintln(output, "command "+call.Name)
			return "Grün \U0001F600", nil
		},
		Stdout: output, Stderr: output,
		Environ: os.Environ(),
	}, program)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scripted) path(name string) string { return filepath.Join(s.folder, name) }

// run runs a script for at most a minute, and returns its output.
func (s *scripted) run(t *testing.T, script string, args ...string) (string, error) {
	t.Helper()
	if err := os.Truncate(s.path("output"), 0); err != nil {
		t.Fatal(err)
	}
	s.calls = nil
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := os.WriteFile(s.path("script.py"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	err := s.RunFile(ctx, s.path("script.py"), args)
	printed, readErr := os.ReadFile(s.path("output"))
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(printed), err
}

// begun waits until a script has printed "begun" and the end of the line, which Python writes
// separately with PYTHONUNBUFFERED, or ctx ends.
func (s *scripted) begun(ctx context.Context) {
	for ctx.Err() == nil {
		if text, err := os.ReadFile(s.path("output")); err != nil || strings.Contains(string(text), "begun\n") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestPythonCallsCommandsInOrderWithWhatItPrints(t *testing.T) {
	needTcl(t)
	for _, program := range interpretertest.Pythons(t) {
		t.Run(filepath.Base(program), func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, program)
			if err := os.WriteFile(s.path("part.py"), []byte("def f():\n    return do('from a module')\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			printed, err := s.run(t, `
import os, sys, part, tclpy
print("one")
jobid = do('ä b', 1, 2.5, True, None)
print(jobid)
part.f()
print(tclpy.eval('set x [do {from Tcl}]; string length $x; set y 7'), tclpy.eval('set y'))
pydict('dict')
help(); help('do')
try:
    fail()
except Exception as e:
    print('caught', e)
try:
    tclpy.eval('error {it broke}')
except RuntimeError as e:
    print('caught', e)
print(__name__, os.path.basename(__file__), sys.argv[1:], 'SLEDGE_CONSOLE' in os.environ)
`, "an argument", "ä")
			if err != nil {
				t.Error(err)
			}
			want := `one
command do
Grün 😀
command do
command do
7 7
command print
command help
command help
caught no such thing
caught it broke
__main__ script.py ['an argument', 'ä'] False
`
			if printed != want {
				t.Errorf("printed\n%s\nwant\n%s", printed, want)
			}
			wantCalls := `do["ä b" "1" "2.5" "true" ""],do["from a module"],do["from Tcl"],print["dict"],help[],help["do"],fail[]`
			if got := strings.Join(s.calls, ","); got != wantCalls {
				t.Errorf("calls: got %s, want %s", got, wantCalls)
			}
		})
	}
}

func TestPythonsArgumentsAreReadAsWordsOfTcl(t *testing.T) {
	tests := []struct{ python, want string }{
		{`' postgres'`, `postgres`}, // as in a script that comes with HammerDB
		{`"\t x\r\n"`, `x`},
		{`''`, ``},
		{`'   '`, ``},
		{`'a b'`, `a b`},
		{`'{a b}'`, `a b`},
		{`'{ a }'`, ` a `},
		{`' {C "" D ""} '`, `C "" D ""`},
		{`'"a b"'`, `a b`},
		{`'{}'`, ``},
		{`'{{x}}'`, `{x}`},
		{`'{a} {b}'`, `{a} {b}`}, // two words, so the braces do not belong to an argument
		{`'{a'`, `{a`},
		{`'}{'`, `}{`},
		{`'"a" "b"'`, `"a" "b"`},
		{`r'{a\}'`, `{a\}`}, // the brace does not close
		{`'$x [pid] \\n'`, `$x [pid] \n`},
		{`'\u00a0x'`, "\u00a0x"},
		{`None`, ``},
		{`True`, `true`},
		{`4`, `4`},
		{`2.50`, `2.5`},
		{`[1, ' 2', 4]`, `1 2 4`},
		{`__import__('pathlib').PurePosixPath('/a b')`, `/a b`},
	}
	var script strings.Builder
	for _, test := range tests {
		fmt.Fprintf(&script, "do(%s)\n", test.python)
	}
	for _, program := range interpretertest.Pythons(t) {
		s := newScripted(t, program)
		if printed, err := s.run(t, script.String()); err != nil {
			t.Fatalf("%s: %v\n%s", program, err, printed)
		}
		for i, test := range tests {
			if want := fmt.Sprintf("do[%q]", test.want); s.calls[i] != want {
				t.Errorf("%s: do(%s): got %s, want %s", program, test.python, s.calls[i], want)
			}
		}
	}
}

func TestPrintShowsWhatTheConsolesDoes(t *testing.T) {
	for _, program := range interpretertest.Pythons(t) {
		s := newScripted(t, program)
		printed, err := s.run(t, `
import io, os, sys, warnings
warnings.simplefilter("ignore")  # about fork in a process with threads
print('dict')
print('db')
print('dict', flush=True)
print('dict', end='.\n')
print('db', 'dict', sep='-')
print('dictionary')
print(['db'], 'db'.upper())
print()
taken = io.StringIO()
print('dict', file=taken)
assert taken.getvalue() == 'dict\n', taken.getvalue()
try:
    print('dict', nosuch=1)
except TypeError:
    print('refused')
assert print('db') is None and print.__name__ == 'print' and 'sep' in print.__doc__
if hasattr(os, 'fork'):
    child = os.fork()
    if child == 0:
        print('db', flush=False)
        print('db')
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
`)
		if err != nil {
			t.Errorf("%s: %v", program, err)
		}
		const want = "command print\ncommand print\ndict\ndict.\ndb-dict\ndictionary\n['db'] DB\n\nrefused\ncommand print\ndb\ndb\n"
		if printed != want {
			t.Errorf("%s: printed\n%s\nwant\n%s", program, printed, want)
		}
		if got, want := strings.Join(s.calls, ","), `print["dict"],print["db"],print["db"]`; got != want {
			t.Errorf("%s: calls: got %s, want %s", program, got, want)
		}
	}
}

func TestPythonEndsAsTheScriptDoes(t *testing.T) {
	for _, program := range interpretertest.Pythons(t) {
		t.Run(filepath.Base(program), func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, program)
			tests := []struct {
				script string
				want   error
				prints string
			}{
				{"print('fine')", nil, "fine\n"},
				{"import sys; sys.exit(3)", ErrExit{3}, ""},
				{"exit()", nil, ""},
				{"import sys; sys.exit('reason')", ErrExit{1}, "reason\n"},
				{"import atexit; atexit.register(print, 'bye'); quit(); print('not reached')", ErrQuit, "bye\n"},
				{"try:\n    stop()\nexcept Exception:\n    pass\nprint('not reached')", ErrInterrupted, ""},
				{"raise KeyboardInterrupt", ErrInterrupted, ""},
			}
			for _, test := range tests {
				printed, err := s.run(t, test.script)
				if !errors.Is(err, test.want) || !strings.Contains(printed, test.prints) || strings.Contains(printed, "not reached") {
					t.Errorf("%s: got %v, %q, want %v", test.script, err, printed, test.want)
				}
			}
		})
	}
}

func TestPythonShowsTheUsersFileInTracebacks(t *testing.T) {
	for _, program := range interpretertest.Pythons(t) {
		t.Run(filepath.Base(program), func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, program)
			printed, err := s.run(t, "def f():\n    return 1 / 0\nf()\n")
			var failed *ScriptError
			if !errors.As(err, &failed) || failed.Message != "ZeroDivisionError: division by zero" {
				t.Errorf("got %v", err)
			}
			if !strings.HasPrefix(printed, "Traceback (most recent call last):\n  File \""+s.path("script.py")+"\", line 3, in <module>\n    f()\n") ||
				strings.Contains(printed, "<sledge>") {
				t.Errorf("the traceback:\n%s", printed)
			}
			printed, err = s.run(t, "x = 1\ny = (\n")
			if !errors.As(err, &failed) || !strings.HasPrefix(printed, "  File \""+s.path("script.py")+"\", line 2") {
				t.Errorf("a syntax error: got %v\n%s", err, printed)
			}
			printed, err = s.run(t, "def f(): f()\nf()\n")
			if !errors.As(err, &failed) || !strings.HasPrefix(failed.Message, "RecursionError: ") || strings.Contains(printed, "<sledge>") {
				t.Errorf("without end: got %v\n%s", err, printed)
			}
			printed, err = s.run(t, "fail()\n")
			if !errors.As(err, &failed) || failed.Message != "Error: no such thing" || strings.Contains(printed, "ConnectionError") {
				t.Errorf("a command's error: got %v\n%s", err, printed)
			}
		})
	}
}

func TestPython_ReportsAMissingOrOldProgram(t *testing.T) {
	if _, err := NewPython(Config{}, filepath.Join(t.TempDir(), "python3")); err == nil || !strings.Contains(err.Error(), "find Python 3.9 or later") {
		t.Errorf("missing: got %v", err)
	}
	old := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(old, fmt.Appendf(nil, "#!/bin/sh\nexit %d\n", tooOld), 0o700); err != nil {
		t.Fatal(err)
	}
	s := newScripted(t, old)
	if _, err := s.run(t, ""); err == nil || err.Error() != old+" is older than Python 3.9" {
		t.Errorf("too old: got %v", err)
	}
}

func TestPythonForgetsAnInterruptThatWasCaught(t *testing.T) {
	for _, program := range interpretertest.Pythons(t) {
		s := newScripted(t, program)
		printed, err := s.run(t, "try: exec('raise KeyboardInterrupt')\nexcept KeyboardInterrupt: print('caught')")
		if err != nil || printed != "caught\n" {
			t.Errorf("%s: got %v and %q", program, err, printed)
		}
	}
}

// A terminal sends Ctrl-C to Python and to the console. On a busy machine the console may receive
// it seconds after Python. Both must count as one interrupt.
func TestPythonTakesALateInterruptForTheOneItHeardOf(t *testing.T) {
	for _, program := range interpretertest.Pythons(t) {
		t.Run(filepath.Base(program), func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, program)
			go func() {
				s.begun(t.Context())
				s.Cancel() // the same interrupt, received late
				s.Cancel() // another interrupt
			}()
			printed, err := s.run(t, `
import itertools, os, signal, time
time.monotonic = itertools.count().__next__  # a second passes at each call
caught = 0
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(100)
except KeyboardInterrupt:
    print('heard')
try:
    print('begun', flush=True)
    while True: time.sleep(100)
except KeyboardInterrupt:
    pass
time.sleep(0.1)
print('once')
`)
			if err != nil || printed != "heard\nbegun\nonce\n" {
				t.Errorf("got %v and %q", err, printed)
			}
		})
	}
}

// Python may have looked for signals for the last time before a wait when the signal arrives. The
// first signal of this test arrives in another thread, which does not end the wait, either.
func TestPythonHearsOfAnInterruptJustBeforeAWait(t *testing.T) {
	s := newScripted(t, interpretertest.Pythons(t)[0])
	go func() {
		s.begun(t.Context())
		s.Cancel()
	}()
	printed, err := s.run(t, `
import signal, threading, time
kill = signal.pthread_kill
def elsewhere(thread, number):
    signal.pthread_kill = kill
    kill(threading.get_ident(), number)
signal.pthread_kill = elsewhere
began = time.monotonic()
try:
    print('begun', flush=True)
    time.sleep(20)
except KeyboardInterrupt:
    print('heard', 'late' if time.monotonic() - began >= 20 else 'in time')
`)
	if err != nil || printed != "begun\nheard in time\n" {
		t.Errorf("got %v and %q", err, printed)
	}
}

func TestPythonHearsOfAnInterruptThatComesWhileItStarts(t *testing.T) {
	s := newScripted(t, interpretertest.Pythons(t)[0])
	isStarting := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.starting
	}
	go func() {
		for !isStarting() && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		s.Cancel()
	}()
	if printed, err := s.run(t, "import time\ntime.sleep(20)\nprint('slept')"); !errors.Is(err, ErrInterrupted) || strings.Contains(printed, "slept") || strings.Contains(printed, "sledge") {
		t.Errorf("got %v and %q", err, printed)
	}
}

func TestPythonHearsOfEachInterruptOnce(t *testing.T) {
	for _, program := range interpretertest.Pythons(t) {
		t.Run(filepath.Base(program), func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, program)
			go func() {
				s.begun(t.Context())
				s.Cancel()
				s.Cancel()
			}()
			printed, err := s.run(t, `
import time
now = time.monotonic()
time.monotonic = lambda: now  # both interrupts have the same time, regardless of delays
try:
    print('begun', flush=True)
    time.sleep(100)
except KeyboardInterrupt:
    time.sleep(0.1)
    print('once')
`)
			if err != nil || printed != "begun\nonce\n" {
				t.Errorf("got %v and %q", err, printed)
			}
		})
	}
}

func TestPythonStopsWhenItsContextEnds(t *testing.T) {
	s := newScripted(t, interpretertest.Pythons(t)[0])
	if err := os.WriteFile(s.path("script.py"), []byte("print('begun', flush=True)\nwhile True: pass"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		s.begun(ctx)
		cancel()
	}()
	if err := s.RunFile(ctx, s.path("script.py"), nil); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v, want ErrInterrupted", err)
	}
}
