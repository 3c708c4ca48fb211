package main_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"sledge/internal/job"
)

// newConsole is newProgram for a test of the console. It skips the test if a language is missing,
// or fails it under make test.
func newConsole(t *testing.T, values map[string]string) *program {
	t.Helper()
	p := newProgram(t, values)
	missing.Do(func() {
		for _, language := range []string{"tcl", "python"} {
			if _, stderr, exit := p.run("console", language); exit != job.OK {
				missing.language, missing.why = language, stderr
			}
		}
	})
	if missing.language != "" {
		if strings.Contains(os.Getenv("SLEDGE_TEST_REQUIRE"), missing.language) {
			t.Fatal(missing.why)
		}
		t.Skip(missing.why)
	}
	return p
}

// missing holds the reason why the console cannot run a language here.
var missing struct {
	sync.Once
	language, why string
}

// terminal plays a person at a terminal, who types and waits for output.
type terminal struct {
	t       *testing.T
	command *exec.Cmd
	tty     *os.File

	pressed bool // Ctrl-C, while something ran

	mu    sync.Mutex
	shown []byte // output after the last text that sees found
	all   []byte // all output
}

// terminal starts the program at a terminal.
func (p *program) terminal(args ...string) *terminal {
	p.t.Helper()
	c := exec.Command(p.path, args...)
	c.Env = append(p.env, "TERM=xterm", "CI=")
	c.Dir = p.t.TempDir()
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		p.t.Fatal(err)
	}
	x := &terminal{t: p.t, command: c, tty: tty}
	var reading sync.WaitGroup
	reading.Go(func() {
		for b := make([]byte, 1024); ; {
			n, err := tty.Read(b)
			x.mu.Lock()
			x.shown, x.all = append(x.shown, b[:n]...), append(x.all, b[:n]...)
			x.mu.Unlock()
			if err != nil {
				return // the program has ended
			}
		}
	})
	p.t.Cleanup(func() {
		_ = c.Process.Kill() // it has ended, unless the test failed
		_ = c.Wait()
		reading.Wait()
		tty.Close()
	})
	return x
}

// types sends text as keys.
func (x *terminal) types(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.tty, keys); err != nil {
		x.t.Fatal(err)
	}
}

// sees waits until text appears after the texts that it found before.
func (x *terminal) sees(text string) {
	x.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		x.mu.Lock()
		before, after, found := strings.Cut(string(x.shown), text)
		if found {
			x.shown = []byte(after)
		}
		x.mu.Unlock()
		if found {
			return
		}
		if time.Now().After(end) {
			x.t.Fatalf("waited for %q, and saw %q", text, before)
		}
	}
}

// apart is a time after which two Ctrl-C certainly count as two. It is twice the time for which the
// console and Python wait.
const apart = 600 * time.Millisecond

// interrupts presses Ctrl-C while something runs, and waits for the text that follows.
func (x *terminal) interrupts(shows string) {
	x.t.Helper()
	if x.pressed {
		time.Sleep(apart)
	}
	x.types(ctrlC)
	x.sees(shows)
	x.pressed = true
}

// ends waits until the program ends, and returns its exit code.
func (x *terminal) ends() int {
	x.t.Helper()
	timer := time.AfterFunc(time.Minute, func() { _ = x.command.Process.Kill() })
	defer timer.Stop()
	_ = x.command.Wait() // ProcessState contains the exit code
	return x.command.ProcessState.ExitCode()
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	enter = "\r"
	tab   = "\t"
	up    = "\x1b[A"
)

func TestTclPrompt_EvaluatesAndSurvivesCtrlC(t *testing.T) {
	t.Parallel() // it mostly waits
	folder := t.TempDir()
	p := newConsole(t, map[string]string{"settings": filepath.Join(folder, "settings.db")})
	x := p.terminal("console")
	x.sees(`Type "help" for a list of commands`)
	x.sees("sledge>")
	x.types("dbset d" + tab + " p" + tab + enter)
	x.sees("Database set to PostgreSQL\r\n")
	x.sees("sledge>")
	x.types("expr 6*7" + enter)
	x.sees("\r\n42\r\n")
	x.sees("sledge>")
	x.types("foreach z {1 2} {" + enter)
	x.sees("      >")
	x.types("puts <$z>" + enter + "}" + enter)
	x.sees("<1>\r\n<2>\r\n")
	x.sees("sledge>")
	x.types("nosuchcommand" + enter)
	x.sees(`invalid command name "nosuchcommand"`)
	x.sees("sledge>")
	x.types("set kept 17; puts begun; while 1 {}" + enter)
	x.sees("\r\nbegun")
	x.interrupts("interrupted")
	x.sees("sledge>")
	x.types("half of a li")
	x.sees("half of a li") // a Ctrl-C before the editor has begun would be a signal
	x.types(ctrlC)
	x.sees("sledge>")
	x.types("expr $kept + 1" + enter)
	x.sees("\r\n18\r\n")
	x.sees("sledge>")
	x.types("diset tpcc pg_pass hidden17" + enter)
	x.sees("from **** to ****")
	x.sees("sledge>")
	x.types(ctrlD)
	x.sees("Shutting down Sledge CLI")
	if code := x.ends(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}

	history, err := os.ReadFile(filepath.Join(folder, "console_history"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(history); strings.Contains(text, "hidden17") || !strings.Contains(text, "expr $kept + 1\n") {
		t.Errorf("the history:\n%s", text)
	}
	if info, _ := os.Stat(filepath.Join(folder, "console_history")); info.Mode().Perm() != 0o600 {
		t.Errorf("the history's mode is %o, want 600", info.Mode().Perm())
	}

	again := p.terminal("console")
	again.sees("sledge>")
	again.types("print db" + enter)
	again.sees("Database PostgreSQL set.")
	again.sees("sledge>")
	again.types(up + up)
	again.sees("expr $kept + 1")
	again.types(ctrlC)
	again.types("quit" + enter)
	again.sees("Shutting down Sledge CLI")
	if code := again.ends(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
}

func TestTclPrompt_CtrlCStopsCommand(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	x := p.terminal("console")
	x.sees("sledge>")
	x.types("dbset db sqlite" + enter)
	x.sees("sledge>")
	x.types("diset connection sqlite_file " + filepath.Join(t.TempDir(), "t.db") + "; catch buildschema" + enter)
	x.sees("Vuser 1:RUNNING")
	x.interrupts("interrupted")
	x.sees("sledge>")
	x.types("exit 3" + enter)
	if code := x.ends(); code != 3 {
		t.Errorf("got exit code %d, want 3", code)
	}
}

func TestTclPrompt_ReplacesDeadInterpreter(t *testing.T) {
	t.Parallel() // it mostly waits
	x := newConsole(t, nil).terminal("console")
	x.sees("sledge>")
	x.types("dbset db pg; set kept 17" + enter)
	x.sees("\r\n17\r\n")
	x.sees("sledge>")
	x.types("exec kill -9 [pid]" + enter)
	x.sees("the Tcl interpreter died (signal: killed)")
	x.sees("A new interpreter was started")
	x.sees("sledge>")
	x.types("puts [info exists kept]; print db" + enter)
	x.sees("\r\n0\r\nDatabase PostgreSQL set.")
	x.sees("sledge>")
	x.types(ctrlD)
	if code := x.ends(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
}

func TestPythonPrompt_IsItsOwn(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	x := p.terminal("console", "py")
	x.sees(`Type "help()" for a list of commands`)
	x.sees("sledge>>> ")
	x.types("dbset('db', 'pg')" + enter)
	x.sees("Database set to PostgreSQL\r\n")
	x.sees("sledge>>> ")
	x.types("6*7" + enter)
	x.sees("42\r\n")
	x.sees("sledge>>> ")
	x.types("print('be' + 'gun')" + enter)
	x.sees("begun\r\n")
	x.sees("sledge>>> ")
	x.types("print('loop' + 'ing'); exec('while True: pass')" + enter)
	x.sees("looping\r\n")
	x.interrupts("KeyboardInterrupt")
	x.sees("sledge>>> ")
	x.types("diset('tpcc', 'pg_pass', 'hidden17')" + enter)
	x.sees("from **** to ****")
	x.sees("sledge>>> ")
	x.types("tclpy.eval('puts \"in Tcl\"; flush stdout; while 1 {}')" + enter)
	x.sees("in Tcl\r\n")
	x.interrupts("KeyboardInterrupt")
	x.sees("sledge>>> ")
	x.types("quit()" + enter)
	x.sees("Shutting down Sledge CLI")
	if code := x.ends(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	history, _ := os.ReadFile(filepath.Join(filepath.Dir(p.repository), ".python_history")) // a Python without readline keeps none
	if strings.Contains(string(history), "hidden17") {
		t.Errorf("the history:\n%s", history)
	}
}

func TestScript_OutcomeSetsExitCode(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	tests := []struct {
		name, file, script string
		exit               job.Exit
		last               string // line on stderr
		prints             string // after the banner
	}{
		{
			"succeeds", "a.tcl", "puts one\ndbset db pg\nputs {two ü}\n",
			job.OK, "", "one\nDatabase set to PostgreSQL\ntwo ü\n",
		},
		{
			"fails in Tcl", "a.tcl", "puts one\nset x [expr {1 / 0}]\nputs two\n",
			job.ExitError, "sledge: divide by zero", "one\n",
		},
		{
			"continues after a command failed", "a.tcl", "dbset db nosuch\nputs on\n",
			job.ExitUsage, "sledge: Unknown prefix nosuch, choose one from ora mssqls db2 mysql pg maria redis sqlite", "Unknown prefix nosuch, choose one from ora mssqls db2 mysql pg maria redis sqlite\non\n",
		},
		{
			"exits", "a.tcl", "puts -nonewline one; exit 7",
			7, "sledge: the script ended by exit 7", "one",
		},
		{
			"quits", "a.tcl", "quit\nputs two\n",
			job.OK, "", "Shutting down Sledge CLI\n",
		},
		{
			"succeeds in Python", "a.py", "print('one')\ndbset('db', 'pg')\nprint('zwü')\n",
			job.OK, "", "one\nDatabase set to PostgreSQL\nzwü\n",
		},
		{
			"fails in Python", "a.py", "print('one')\n{}['key']\n",
			job.ExitError, "sledge: KeyError: 'key'", "one\n",
		},
		{
			"exits in Python", "a.py", "import sys\nsys.exit(9)\n",
			9, "sledge: the script ended by exit 9", "",
		},
		{
			"suggests a command in Tcl", "a.tcl", "vurn\n",
			job.ExitError, `sledge: invalid command name "vurn": did you mean vurun?`, "",
		},
		{
			"keeps Tcl's message if it is caught", "a.tcl", "catch {vurn} said\nputs $said\n",
			job.OK, "", "invalid command name \"vurn\"\n",
		},
		{
			"suggests a command in Python", "a.py", "vurn()\n",
			job.ExitError, "sledge: NameError: name 'vurn' is not defined: did you mean vurun?", "",
		},
		{
			"suggests a command in Tcl called by Python", "a.py", "tclpy.eval('vurn')\n",
			job.ExitError, `sledge: Error: invalid command name "vurn": did you mean vurun?`, "",
		},
		{
			"suggests nothing without a similar command", "a.tcl", "ls\n",
			job.ExitError, `sledge: invalid command name "ls"`, "",
		},
		{
			"succeeds without metrics", "a.tcl", "metset agent_id 10000\nmetstatus\nmetstop\n",
			job.OK, "", "Metrics agent id set to 10000\nCPU Metrics are not running on localhost\nNo Metrics Agent detected on id: localhost:10000\n",
		},
		{
			"continues after a command failed in Python", "a.py", "dbset('db')\nprint('on')\n",
			job.ExitUsage, "sledge: Usage: dbset [db|bm] value", "Usage: dbset [db|bm] value\non\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(file, []byte(test.script), 0o600); err != nil {
				t.Fatal(err)
			}
			stdout, stderr, exit := p.run("console", "auto", file)
			if exit != test.exit {
				t.Errorf("got exit code %d, want %d", exit, test.exit)
			}
			lines := strings.Split(strings.TrimSpace(stderr), "\n")
			if last := lines[len(lines)-1]; last != test.last {
				t.Errorf("the last line on stderr: got %q, want %q", last, test.last)
			}
			_, printed, _ := strings.Cut(stdout, "Jobs on-disk database")
			if _, printed, _ = strings.Cut(printed, "\n"); printed != test.prints {
				t.Errorf("printed %q, want %q", printed, test.prints)
			}
		})
	}
}

func TestHammerDBName_TakesHammerDBsArguments(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	link := filepath.Join(t.TempDir(), "hammerdbcli")
	if err := os.Symlink(p.path, link); err != nil {
		t.Fatal(err)
	}
	p.path = link
	file := filepath.Join(t.TempDir(), "run.tcl")
	if err := os.WriteFile(file, []byte("puts ran"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(filepath.Dir(file), "folder.tcl")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	nosuch := filepath.Join(filepath.Dir(file), "nosuch.py")
	version, _, _ := p.run("--version")
	if !strings.HasPrefix(version, "Sledge CLI ") || strings.Count(version, "\n") != 1 {
		t.Errorf("--version: got %q", version)
	}
	const usage = "Usage: hammerdbcli [ tcl|python [ auto [ script_to_autoload.[ tcl|py ] ] ] ]\n"
	tests := []struct {
		args  string
		exit  job.Exit
		shows string
		last  string // line on stderr
	}{
		{"auto " + file, job.OK, "\nran\n", ""},
		{"tcl auto " + file, job.OK, "\nran\n", ""},
		{"--help", job.OK, usage + "\n  hammerdbcli      ", ""},
		{"-h", job.OK, usage + "\n  hammerdbcli      ", ""},
		{"help", job.OK, usage + "\n  hammerdbcli      ", ""},
		{"version", job.OK, version, ""},
		{"py auto " + file, job.ExitUsage, "Error: incorrect file extension for python\n" + usage, "sledge: run " + file + ": it is written in Tcl: hammerdbcli auto " + file},
		{"auto run.py", job.ExitUsage, "Error: incorrect file extension for tcl\n" + usage, "sledge: run run.py: it is written in Python: hammerdbcli py auto run.py"},
		{"auto run.sh", job.ExitUsage, "Error: incorrect file extension for tcl\n" + usage, "sledge: run run.sh: the language is unknown, because the name ends in neither .tcl nor .py: rename the file"},
		{"run.tcl", job.ExitUsage, usage, "sledge: auto is missing before the script: hammerdbcli auto run.tcl"},
		{"--nosuch", job.ExitUsage, usage, `sledge: hammerdbcli does not know "--nosuch" (hammerdbcli --help)`},
		{"auto", job.ExitUsage, usage, "sledge: auto needs a script: hammerdbcli auto FILE.tcl, or hammerdbcli py auto FILE.py"},
		{"auto run.tcl more", job.ExitUsage, usage, `sledge: hammerdbcli passes no arguments such as "more" to a script: use sledge console auto`},
		{"py auto " + nosuch, job.ExitMissing, "Error: the file " + nosuch + " does not exist\n" + usage, "sledge: run the script: the file " + nosuch + " does not exist"},
		{"auto " + folder, job.ExitUsage, "Error: " + folder + " is a folder, not a script\n" + usage, "sledge: run the script: " + folder + " is a folder, not a script"},
	}
	for _, test := range tests {
		stdout, stderr, exit := p.run(strings.Fields(test.args)...)
		said := strings.Split(strings.TrimSpace(stderr), "\n")
		if last := said[len(said)-1]; exit != test.exit || !strings.Contains(stdout, test.shows) || last != test.last {
			t.Errorf("hammerdbcli %s: got %d, %q and %q, want %d, %q and %q", test.args, exit, stdout, last, test.exit, test.shows, test.last)
		}
	}
	x := p.terminal()
	x.sees("hammerdb>")
	x.types("exit" + enter)
	if code := x.ends(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
}

func TestConsole_EvaluatesLinesOfPipe(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	tests := []struct {
		lines, shows string
		exit         job.Exit
	}{
		{"expr 6*7\nputs [expr {6 *\n7}]", "\n42\n", job.OK}, // results are shown only on a terminal
		{"nosuch\nputs on\n", "\non\n", job.ExitError},
		{"puts [gets stdin]\nthe next line\n", "\nthe next line\n", job.OK},
		{"puts {open\n", "", job.ExitError},
		{"exit 5\nputs no\n", "", 5},
		{"", "", job.OK},
	}
	for _, test := range tests {
		c := exec.Command(p.path, "console")
		c.Env, c.Stdin = p.env, strings.NewReader(test.lines)
		out, _ := c.Output() // ProcessState contains the exit code
		if exit := job.Exit(c.ProcessState.ExitCode()); exit != test.exit || !strings.HasSuffix(string(out), test.shows) {
			t.Errorf("%q: got %d and %q, want %d and an end of %q", test.lines, exit, out, test.exit, test.shows)
		}
	}
}

func TestInterpreters_EndWithProgram(t *testing.T) {
	p := newConsole(t, nil)
	for name, script := range map[string]string{
		"a.tcl": "puts begun; flush stdout; while 1 {}",
		"a.py":  "print('begun', flush=True)\nwhile True: pass",
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(p.path, "console", "auto", file)
		c.Env = p.env
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "begun"; {
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		overdue := time.AfterFunc(time.Minute, func() { out.Close() })
		// Reading ends when the last process that could write to the pipe has ended.
		if _, err := io.Copy(io.Discard, out); err != nil {
			t.Errorf("%s: the interpreter still runs: %v", name, err)
		}
		overdue.Stop()
		_ = c.Wait() // it was killed
	}
}
