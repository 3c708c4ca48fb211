package main_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is a person at a terminal: it types, and waits for what appears.
type terminal struct {
	t       *testing.T
	command *exec.Cmd
	tty     *os.File

	mu    sync.Mutex
	shown []byte // what has appeared and was not waited for
}

// newTerminal starts the program at a terminal.
func (p *program) terminal(args ...string) *terminal {
	p.t.Helper()
	c := exec.Command(p.path, args...)
	c.Env = append(p.env, "TERM=xterm")
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
			x.shown = append(x.shown, b[:n]...)
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

// types types text as keys.
func (x *terminal) types(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.tty, keys); err != nil {
		x.t.Fatal(err)
	}
}

// sees waits until text appears after what was seen before.
func (x *terminal) sees(text string) {
	x.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
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

// ends waits until the program ends, and returns its exit code.
func (x *terminal) ends() int {
	x.t.Helper()
	timer := time.AfterFunc(20*time.Second, func() { _ = x.command.Process.Kill() })
	defer timer.Stop()
	_ = x.command.Wait() // the code says it
	return x.command.ProcessState.ExitCode()
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	enter = "\r"
	tab   = "\t"
	up    = "\x1b[A"
)

func TestPromptEvaluatesTclAndSurvivesCtrlC(t *testing.T) {
	folder := t.TempDir()
	p := newProgram(t, map[string]string{"settings": filepath.Join(folder, "settings.db")})
	x := p.terminal("console")
	x.sees(`Type "help" for a list of commands`)
	x.sees("sledge>")
	x.types("dbset d" + tab + " p" + tab + enter)
	x.sees("Database set to PostgreSQL\r\n")
	x.sees("sledge>")
	x.types("expr 6*7" + enter)
	x.sees("\r\n42\r\n")
	x.types("foreach z {1 2} {" + enter)
	x.sees("      >")
	x.types("puts <$z>" + enter + "}" + enter)
	x.sees("<1>\r\n<2>\r\n")
	x.types("nosuchcommand" + enter)
	x.sees(`invalid command name "nosuchcommand"`)
	x.sees("sledge>")
	x.types("set kept 17; puts begun; while 1 {}" + enter)
	x.sees("\r\nbegun")
	x.types(ctrlC)
	x.sees("interrupted")
	x.sees("sledge>")
	x.types("half of a li" + ctrlC)
	x.sees("sledge>")
	x.types("expr $kept + 1" + enter)
	x.sees("\r\n18\r\n")
	x.types("diset tpcc pg_pass hidden17" + enter)
	x.sees("from **** to ****")
	x.types(ctrlD)
	x.sees("Shutting down Sledge CLI")
	if code := x.ends(); code != 0 {
		t.Errorf("it ended with %d, want 0", code)
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
		t.Errorf("it ended with %d, want 0", code)
	}
}

func TestPromptStopsACommandByCtrlC(t *testing.T) {
	p := newProgram(t, nil)
	x := p.terminal("console")
	x.sees("sledge>")
	x.types("dbset db sqlite" + enter)
	x.sees("sledge>")
	x.types("diset connection sqlite_path " + filepath.Join(t.TempDir(), "t.db") + "; catch buildschema" + enter)
	x.sees("Vuser 1:RUNNING")
	x.types(ctrlC)
	x.sees("interrupted")
	x.sees("sledge>")
	x.types("exit 3" + enter)
	if code := x.ends(); code != 3 {
		t.Errorf("it ended with %d, want 3", code)
	}
}

func TestPromptIsPythonsOwn(t *testing.T) {
	p := newProgram(t, nil)
	home := t.TempDir()
	p.env = append(p.env, "HOME="+home)
	x := p.terminal("console", "py")
	x.sees(`Type "help()" for a list of commands`)
	x.sees("sledge>>> ")
	x.types("dbset('db', 'pg')" + enter)
	x.sees("Database set to PostgreSQL\r\n")
	x.types("6*7" + enter)
	x.sees("42\r\n")
	x.sees("sledge>>> ")
	x.types("print('be' + 'gun')" + enter)
	x.sees("begun\r\n")
	x.types("while True: pass" + enter)
	x.types(enter)
	time.Sleep(300 * time.Millisecond) // until it is in the loop, which says nothing
	x.types(ctrlC)
	x.sees("KeyboardInterrupt")
	x.sees("sledge>>> ")
	x.types("diset('tpcc', 'pg_pass', 'hidden17')" + enter)
	x.sees("from **** to ****")
	x.types("tclpy.eval('puts \"in Tcl\"; flush stdout; while 1 {}')" + enter)
	x.sees("in Tcl\r\n")
	x.types(ctrlC)
	x.sees("KeyboardInterrupt")
	x.types("quit()" + enter)
	x.sees("Shutting down Sledge CLI")
	if code := x.ends(); code != 0 {
		t.Errorf("it ended with %d, want 0", code)
	}
	history, _ := os.ReadFile(filepath.Join(home, ".python_history")) // a Python without readline keeps none
	if strings.Contains(string(history), "hidden17") {
		t.Errorf("the history:\n%s", history)
	}
}
