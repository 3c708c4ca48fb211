package scripting_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sledge/internal/control/tasks"
	"sledge/internal/job"
	"sledge/internal/scripting"
)

// program is the path of the program under test.
var program string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "sledge-scripting-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(folder, "sledge")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "sledge/cmd/sledge").CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// newRunner returns a runner with its own folders, whose processes ignore this machine's
// settings.
func newRunner(t *testing.T) *scripting.Runner {
	t.Helper()
	home := t.TempDir()
	d := &scripting.Runner{Store: scripting.Store{Folder: filepath.Join(home, "scripts")}}
	d.Command = func(arguments ...string) *exec.Cmd {
		c := exec.Command(program, arguments...)
		c.Env = append(os.Environ(), "HOME="+home, "SLEDGE_REPO="+filepath.Join(home, "jobs.db"), "TMP="+home)
		return c
	}
	t.Cleanup(d.Close)
	return d
}

func keep(t *testing.T, d *scripting.Runner, name, text string) scripting.Text {
	t.Helper()
	kept, err := d.Store.Write(name, text, "")
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// reading reads the output of an execution until it contains a text, or until the execution has
// ended.
func reading(t *testing.T, e *scripting.Execution, until string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var all strings.Builder
	for p := range e.Follow(ctx, 0) {
		all.WriteString(p.Text)
		if until != "" && strings.Contains(all.String(), until) {
			return all.String()
		}
	}
	if ctx.Err() != nil || until != "" {
		t.Fatalf("got %q, want %q in it", all.String(), until)
	}
	return all.String()
}

func TestScriptsAreKeptByNameAndNowhereElse(t *testing.T) {
	d := newRunner(t)
	outside := filepath.Join(filepath.Dir(d.Store.Folder), "secret.tcl")
	if err := os.WriteFile(outside, []byte("puts hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := keep(t, d, "a b.tcl", "puts 1\n")
	for _, name := range []string{"", "..", "../secret.tcl", "a/../../secret.tcl", `..\secret.tcl`, "/etc/passwd", "x.sh", ".tcl", ".hidden.tcl", "nul.tcl", "COM1.py", "a\x00.tcl", "a\n.tcl", "<b>.tcl", strings.Repeat("a", 200) + ".tcl", "a..tcl"} {
		_, read := d.Store.Read(name)
		_, written := d.Store.Write(name, "puts 1", "")
		_, run := d.Run(name, nil)
		for what, err := range map[string]error{"read": read, "write": written, "delete": d.Store.Remove(name), "run": run} {
			if job.ExitOf(err) != job.ExitUsage {
				t.Errorf("%s %q: got %v, want a refusal of the name", what, name, err)
			}
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink(outside, filepath.Join(d.Store.Folder, "link.tcl")); err != nil {
			t.Fatal(err)
		}
		_, read := d.Store.Read("link.tcl")
		_, written := d.Store.Write("link.tcl", "puts 1", "")
		_, run := d.Run("link.tcl", nil)
		for _, err := range []error{read, written, run, d.Store.Remove("link.tcl")} {
			if err == nil {
				t.Error("a link that leads out of the folder is followed")
			}
		}
		info, err := os.Stat(filepath.Join(d.Store.Folder, "a b.tcl"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("got %v and %v, want a file that only its owner can read", info.Mode(), err)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "puts hidden" {
		t.Errorf("the file outside is %q, %v", text, err)
	}
	list, err := d.Store.List()
	if err != nil || len(list) != 1 || list[0].Name != "a b.tcl" || list[0].Language != scripting.Tcl {
		t.Errorf("got %v, %v", list, err)
	}
	second, err := d.Store.Write("a b.tcl", "puts 2\n", kept.Version)
	if err != nil || second.Text != "puts 2\n" {
		t.Errorf("got %v, %v", second, err)
	}
	if _, err := d.Store.Write("a b.tcl", "puts 3\n", kept.Version); !errors.Is(err, scripting.ErrChanged) {
		t.Errorf("got %v, want a refusal to overwrite another user's change", err)
	}
	if _, err := d.Store.Write("a b.tcl", "puts 3\n", ""); job.ExitOf(err) != job.ExitExists {
		t.Errorf("got %v, want a refusal to replace it", err)
	}
	if err := d.Store.Remove("a b.tcl"); err != nil {
		t.Error(err)
	}
	if _, err := d.Store.Read("a b.tcl"); job.ExitOf(err) != job.ExitMissing {
		t.Errorf("got %v, want a missing script", err)
	}
}

func TestWrite_RefusesAnOutdatedVersion(t *testing.T) {
	d := newRunner(t)
	kept := keep(t, d, "a.tcl", "puts 0\n")
	for round := range 200 {
		told := make(chan error, 2)
		for who := range 2 {
			go func() {
				_, err := d.Store.Write("a.tcl", fmt.Sprintf("puts %d.%d\n", round, who), kept.Version)
				told <- err
			}()
		}
		one, other := <-told, <-told
		if (one == nil) == (other == nil) || one == nil && !errors.Is(other, scripting.ErrChanged) || other == nil && !errors.Is(one, scripting.ErrChanged) {
			t.Fatalf("round %d: got %v and %v, want one written and one refused", round, one, other)
		}
		var err error
		if kept, err = d.Store.Read("a.tcl"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExecution_EqualsTheCommand(t *testing.T) {
	d := newRunner(t)
	keep(t, d, "ok.py", "import sys\nprint('grüße', sys.argv[1:])\nprint(dbset('db', 'sqlite'))\nsys.stderr.write('oh\\n')\n")
	e, err := d.Run("ok.py", []string{"one two"})
	if err != nil {
		t.Fatal(err)
	}
	said := reading(t, e, "")
	for _, want := range []string{"grüße ['one two']", "Database set to SQLite", "oh\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("got %q, want %q in it", said, want)
		}
	}
	if r := e.Report(); r.Status != tasks.Done || r.Exit == nil || *r.Exit != 0 {
		t.Errorf("got %+v, want it done", r)
	}
	keep(t, d, "bad.tcl", "diset connection no_such_key 1\nputs after\n")
	if e, err = d.Run("bad.tcl", nil); err != nil {
		t.Fatal(err)
	}
	said = reading(t, e, "")
	if r := e.Report(); r.Status != tasks.Failed || *r.Exit != int(job.ExitUsage) || !strings.Contains(said, "after") {
		t.Errorf("got %+v and %q, want a failure and the rest of the script", r, said)
	}
}

func TestScript_ThatLoopsIsStopped(t *testing.T) {
	d := newRunner(t)
	keep(t, d, "loop.tcl", "puts begun; flush stdout\nwhile 1 {catch {after 10}}\n")
	e, err := d.Run("loop.tcl", nil)
	if err != nil {
		t.Fatal(err)
	}
	reading(t, e, "begun")
	e.Stop()
	reading(t, e, "")
	if r := e.Report(); r.Status != tasks.Stopped {
		t.Errorf("got %+v, want it stopped", r)
	}
}

func TestDriverScript_IsLoadedAndRun(t *testing.T) {
	d := newRunner(t)
	keep(t, d, "mix.driver.tcl", "set no_such_option 5\n")
	e, err := d.Run("mix.driver.tcl", nil)
	if err != nil {
		t.Fatal(err)
	}
	if said := reading(t, e, ""); !strings.Contains(said, "no_such_option") {
		t.Errorf("got %q, want the unknown option in the error", said)
	}
	if r := e.Report(); r.Status != tasks.Failed {
		t.Errorf("got %+v, want a failure", r)
	}
}

func TestPrompt_HasItsOwnTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such terminals")
	}
	d := newRunner(t)
	e, err := d.Open(scripting.Tcl, scripting.Size{Columns: 100, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	reading(t, e, "sledge>")
	for _, step := range []struct{ typed, want string }{
		{"expr {6*7}\r", "42"},
		{"vuse\t vu 3\r", "vuset"},             // completed
		{"while 1 {}\r", ""},                   // runs until Ctrl-C
		{"\x03", "interrupted"},                // the prompt continues
		{"puts [exec stty size]\r", "30 100"},  // its size
		{"set x [string repeat é 3]\r", "ééé"}, // characters of two bytes
	} {
		if err := e.Type(step.typed); err != nil {
			t.Fatal(err)
		}
		if step.want == "" {
			time.Sleep(300 * time.Millisecond) // the loop prints nothing to wait for
			continue
		}
		reading(t, e, step.want)
	}
	if err := e.Resize(scripting.Size{Columns: 61, Rows: 17}); err != nil {
		t.Fatal(err)
	}
	if err := e.Type("puts [exec stty size]\r"); err != nil {
		t.Fatal(err)
	}
	reading(t, e, "17 61")
	// Use another prompt, because a signal soon after Ctrl-C counts as the same request.
	if e, err = d.Open(scripting.Python, scripting.Size{Columns: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	reading(t, e, "sledge>>>")
	e.Stop()
	reading(t, e, "")
	if r := e.Report(); r.Status != tasks.Stopped {
		t.Errorf("got %+v, want it stopped", r)
	}
	if err := e.Type("x"); job.ExitOf(err) != job.ExitExists {
		t.Errorf("got %v, want an error that it has ended", err)
	}
}

func TestOutput_IsReadFromAnyPosition(t *testing.T) {
	d := newRunner(t)
	keep(t, d, "count.py", "for i in range(60000):\n    print(f'line {i:08d} of many')\n")
	e, err := d.Run("count.py", nil)
	if err != nil {
		t.Fatal(err)
	}
	reading(t, e, "")
	var last scripting.Piece
	var text strings.Builder
	for p := range e.Follow(context.Background(), 0) {
		if last.End == 0 && p.Missed == 0 {
			t.Error("more was printed than is kept, but no piece reports missed bytes")
		}
		text.WriteString(p.Text)
		last = p
	}
	if got := e.Report().Printed; last.End != got || !strings.HasSuffix(text.String(), "line 00059999 of many\n") {
		t.Errorf("read to %d of %d", last.End, got)
	}
	for p := range e.Follow(context.Background(), last.End-10) {
		if p.Text != " of many\n"[len(" of many\n")-9:] && p.Text != "9 of many\n" {
			t.Errorf("got %q, want the last ten bytes", p.Text)
		}
	}
}

func TestRunner_LimitsExecutionsAndEndsThem(t *testing.T) {
	d := newRunner(t)
	keep(t, d, "wait.py", "import time\nprint('there', flush=True)\ntime.sleep(600)\n")
	var all []*scripting.Execution
	for range scripting.MaxScripts {
		e, err := d.Run("wait.py", nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	var busy *tasks.BusyError
	if _, err := d.Run("wait.py", nil); !errors.As(err, &busy) || busy.Ending {
		t.Errorf("got %v, want an error about the limit", err)
	}
	d.Close()
	for _, e := range all {
		if r := e.Report(); r.Status != tasks.Stopped || r.Ended == nil {
			t.Errorf("got %+v, want it ended with the runner", r)
		}
	}
	if _, err := d.Run("wait.py", nil); !errors.As(err, &busy) || !busy.Ending {
		t.Errorf("got %v, want a refusal to start", err)
	}
}

// A process that ignores Ctrl-C must not block the end of the program.
func TestInterrupt_KillsAProcessThatIgnoresTheFirst(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	d := newRunner(t)
	d.Command = func(...string) *exec.Cmd {
		return exec.Command("sh", "-c", "trap '' INT; echo there; while true; do sleep 1; done")
	}
	keep(t, d, "deaf.tcl", "")
	e, err := d.Run("deaf.tcl", nil)
	if err != nil {
		t.Fatal(err)
	}
	reading(t, e, "there")
	d.Interrupt()
	d.Interrupt()
	reading(t, e, "") // to its end
	if r := e.Report(); r.Status != tasks.Stopped {
		t.Errorf("got %+v, want it stopped", r)
	}
}
