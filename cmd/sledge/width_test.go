package main_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/mattn/go-runewidth"

	"sledge/internal/job"
)

// window is a program on a terminal of a given width, with its output.
type window struct {
	t       *testing.T
	command *exec.Cmd
	size    func(columns int)
	types   func(line string)
	ended   chan struct{}

	mu   sync.Mutex
	text string
}

// show starts the program on a terminal of a given width.
func (p *program) show(columns int, args ...string) *window {
	p.t.Helper()
	c := exec.Command(p.path, args...)
	c.Env = append(p.env, "TERM=xterm", "CI=") // with a value, CI would turn the progress bar off
	file, err := pty.StartWithSize(c, &pty.Winsize{Rows: 50, Cols: uint16(columns)})
	if err != nil {
		p.t.Fatal(err)
	}
	s := &window{t: p.t, command: c, ended: make(chan struct{}), size: func(columns int) {
		if err := pty.Setsize(file, &pty.Winsize{Rows: 50, Cols: uint16(columns)}); err != nil {
			p.t.Fatal(err)
		}
	}, types: func(line string) {
		if _, err := file.WriteString(line + "\r"); err != nil {
			p.t.Fatal(err)
		}
	}}
	go func() {
		defer close(s.ended)
		for chunk := make([]byte, 4096); ; {
			n, err := file.Read(chunk)
			s.mu.Lock()
			s.text += string(chunk[:n])
			s.mu.Unlock()
			if err != nil { // the program has ended, and its terminal is closed
				return
			}
		}
	}()
	p.t.Cleanup(func() {
		_ = c.Process.Kill() // it has ended, unless the test failed
		_ = c.Wait()
		_ = file.Close()
	})
	return s
}

// wait waits until the program ends, and returns its output and exit code.
func (s *window) wait() (text string, exit job.Exit) {
	<-s.ended
	_ = s.command.Wait() // ProcessState contains the exit code
	return s.soFar(), job.Exit(s.command.ProcessState.ExitCode())
}

func (s *window) soFar() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// drawn splits the output at each move of the cursor to the beginning of a line.
func drawn(text string) []string {
	return strings.FieldsFunc(escape.ReplaceAllString(text, ""), func(r rune) bool { return r == '\r' || r == '\n' })
}

// fits fails the test if a line is wider than the terminal.
func fits(t *testing.T, columns int, text string) {
	t.Helper()
	for _, line := range drawn(text) {
		if wide := runewidth.StringWidth(line); wide > columns {
			t.Errorf("%d columns: a line has %d: %q", columns, wide, line)
		}
	}
}

// barAt matches the progress bar, with the \r before and after it.
var barAt = regexp.MustCompile(`\r\x1b\[J([a-z]+ +\d+ % \[[^\r\n]*)\r`)

// TestOutput_FitsTerminal shows every command on a narrow terminal, and those that only read on wider
// ones too.
func TestOutput_FitsTerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newProgram(t, map[string]string{"sqlite_file": filepath.Join(t.TempDir(), strings.Repeat("long-", 12)+"name.db")})
	flat := filepath.Join(t.TempDir(), "flat")
	shows := func(columns int, args ...string) (text string) {
		t.Helper()
		text, exit := p.show(columns, args...).wait()
		if exit != job.OK || text == "" {
			t.Fatalf("sledge %s: exit code %d: %s", strings.Join(args, " "), exit, text)
		}
		fits(t, columns, text)
		return text
	}

	text := shows(60, "build", "--db", "sqlite")
	if bars := barAt.FindAllStringSubmatch(text, -1); len(bars) < 2 {
		t.Errorf("got %d drawings of the bar, want at least 2", len(bars))
	}
	if rest := barAt.ReplaceAllString(text, ""); strings.Contains(rest, " % [") {
		t.Errorf("a bar shares its line with other text: %q", rest)
	}
	for _, args := range []string{
		"check --db sqlite",
		"run --db sqlite --users 4 --rampup 0s --duration 1s",
		"run --db sqlite --users 1,2 --rampup 0s --duration 1s --set key_and_think=true --set keying_time=0,0,0,0,0 --set think_time=0.02,0.02,0.02,0.02,0.02",
		"datagen --db pg --workload tproch --scale 0.001 --format parquet --dir " + flat,
	} {
		shows(60, strings.Fields(args)...)
	}
	for _, columns := range []int{60, 80, 140} {
		for _, args := range []string{
			"jobs", "jobs show last", "jobs result last", "jobs timing last", "jobs timing last --seconds", "jobs tpm last",
			"jobs profile", "jobs profile 1", "options", "options pg", "version", "datagen verify " + flat,
		} {
			shows(columns, strings.Fields(args)...)
		}
		text, _ := p.show(columns, "run", "--db", "sqlite", "--users", "many").wait()
		fits(t, columns, text)
	}
	shows(140, "run", "--db", "sqlite", "--users", "1", "--rampup", "0s", "--duration", "1s")
	shows(60, "delete", "--db", "sqlite", "--yes")
}

func TestHelp_FitsTerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newProgram(t, nil)
	for _, columns := range []int{60, 80, 140} {
		for _, command := range []string{
			"", "build", "check", "run", "delete", "datagen", "datagen verify", "demo", "console", "options", "version", "jobs",
			"jobs list", "jobs show", "jobs result", "jobs timing", "jobs tpm", "jobs profile", "jobs compare", "jobs export", "jobs import", "jobs delete",
		} {
			text, exit := p.show(columns, append(strings.Fields(command), "--help")...).wait()
			if exit != job.OK || !strings.Contains(text, "Usage:") {
				t.Errorf("sledge %s --help: exit code %d: %s", command, exit, text)
			}
			fits(t, columns, text)
		}
	}
}

func TestConsole_FitsTerminal(t *testing.T) {
	t.Parallel()       // it mostly waits
	newConsole(t, nil) // skips the test if a language is missing
	p, _ := onSchema(t)
	p.must("run", "--db", "sqlite", "--users", "2", "--rampup", "0s", "--duration", "1s")
	for _, columns := range []int{60, 80, 140} {
		s := p.show(columns, "console")
		p.until("there is a prompt", func() bool { return strings.Contains(s.soFar(), "sledge>") })
		// The prompt shows the typed text itself; the output begins after it.
		for _, line := range []string{"jobs", "print dict", "help", "quit"} {
			before := len(s.soFar())
			s.types(line)
			if line == "quit" {
				break
			}
			p.until("there is the next prompt after "+line, func() bool {
				_, after, _ := strings.Cut(s.soFar()[before:], "\n")
				return strings.Contains(after, "sledge>")
			})
			fits(t, columns, s.soFar()[before:])
		}
		if text, exit := s.wait(); exit != job.OK || !strings.Contains(text, "TPROC-C Jobs") {
			t.Errorf("exit code %d: %s", exit, text)
		}
	}
}

// TestBar_FollowsTerminal makes a terminal narrower while it shows a progress bar, and presses Ctrl-C.
func TestBar_FollowsTerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newProgram(t, map[string]string{"sqlite_file": filepath.Join(t.TempDir(), "test.db")})
	s := p.show(140, "build", "--db", "sqlite", "--warehouses", "2")
	p.until("there is a bar", func() bool { return barAt.MatchString(s.soFar()) })
	before := len(s.soFar())
	s.size(60)
	narrow := func() (at int) {
		after := s.soFar()[before:]
		for _, bar := range barAt.FindAllStringSubmatchIndex(after, -1) {
			if runewidth.StringWidth(after[bar[2]:bar[3]]) < 60 {
				return before + bar[0]
			}
		}
		return -1
	}
	p.until("there is a bar that fits", func() bool { return narrow() >= 0 })
	at := narrow()
	s.types("\x03") // Ctrl-C
	text, exit := s.wait()
	if exit != job.ExitStopped {
		t.Errorf("exit code %d: %s", exit, text)
	}
	fits(t, 60, text[at:])
}
