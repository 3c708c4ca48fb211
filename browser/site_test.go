//go:build browser

package browser

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// program is the path of the program under test, which make builds with its pages.
const program = "../bin/sledge"

// site is a running sledge web with its own repository.
type site struct {
	t       *testing.T
	folder  string   // holds the repository and the files beside it
	given   []string // arguments of sledge web
	more    []string // further lines of its environment
	port    string   // "0" until it listens the first time
	link    string   // the printed address; without users it has a token that logs in once
	address string   // the same without the token, with a slash at the end

	command *exec.Cmd
	ended   chan error
	errors  lines
}

// lines collects the output of a running program.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String implements fmt.Stringer.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// newSite makes a site that does not serve yet, with arguments for sledge web.
func newSite(t *testing.T, arguments ...string) *site {
	s := &site{t: t, folder: t.TempDir(), given: arguments, port: "0"}
	t.Cleanup(func() {
		s.kill()
		if said := s.errors.String(); strings.Contains(said, "bug in Sledge") || strings.Contains(said, "panic:") || strings.Contains(said, "DATA RACE") {
			t.Errorf("sledge web said: %s", said)
		}
	})
	return s
}

func (s *site) repository() string { return filepath.Join(s.folder, "jobs.db") }

// environment returns the environment of a user without configuration.
func (s *site) environment() []string {
	own := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.folder, "TMPDIR=" + os.TempDir(), "SLEDGE_REPO=" + s.repository()}
	return append(own, s.more...)
}

// start starts the server, after a restart on the same port.
func (s *site) start() {
	s.t.Helper()
	s.command = exec.Command(program, append([]string{"web", "--listen", "127.0.0.1:" + s.port}, s.given...)...)
	s.command.Env, s.command.Dir = s.environment(), "."
	s.command.Stderr = &s.errors
	endWithUs(s.command)
	out, err := s.command.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		s.t.Fatalf("%v: make build makes the program", err)
	}
	s.ended = make(chan error, 1)
	first := bufio.NewScanner(out)
	if !first.Scan() {
		s.t.Fatalf("sledge web ended with %v: %s", s.command.Wait(), &s.errors)
	}
	go func() {
		for first.Scan() { // further output must not block it
		}
		s.ended <- s.command.Wait()
	}()
	s.link = first.Text()
	s.address, _, _ = strings.Cut(s.link, "login?")
	host, _, _ := strings.Cut(strings.TrimPrefix(s.address, "http://"), "/")
	_, s.port, _ = strings.Cut(host, ":")
}

// interrupt presses Ctrl-C.
func (s *site) interrupt() {
	s.t.Helper()
	if err := s.command.Process.Signal(syscall.SIGINT); err != nil {
		s.t.Errorf("press Ctrl-C: %v", err)
	}
}

// wait waits until the server has ended, and returns its exit code.
func (s *site) wait(within time.Duration) int {
	s.t.Helper()
	select {
	case err := <-s.ended:
		s.command = nil
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		return 0
	case <-time.After(within):
		s.t.Fatalf("sledge web has not ended after %v: %s", within, &s.errors)
		return -1
	}
}

// kill ends the server like a power failure.
func (s *site) kill() {
	if s.command == nil {
		return
	}
	_ = s.command.Process.Kill() // it may have ended by itself
	select {
	case err := <-s.ended:
		_ = err // it was killed
	case <-time.After(patience):
		s.t.Error("sledge web has not ended after it was killed")
	}
	s.command = nil
}

// sledge runs another command on the same repository, and returns its output.
func (s *site) sledge(arguments ...string) string {
	s.t.Helper()
	c := exec.CommandContext(s.t.Context(), program, arguments...)
	c.Env = s.environment()
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		s.t.Fatalf("sledge %s: %v: %s%s", strings.Join(arguments, " "), err, &out, &said)
	}
	return out.String()
}

// try runs another command, which may fail, and returns all of its output.
func (s *site) try(arguments ...string) string {
	c := exec.CommandContext(s.t.Context(), program, arguments...)
	c.Env = s.environment()
	all, _ := c.CombinedOutput() // the output shows a failure
	return string(all)
}

// password is the password of every user of a test.
const password = "correct horse battery"

// addUser adds a user who logs in with the password.
func (s *site) addUser(name, role string) { s.add(name, "--role", role) }

// add adds a user who logs in with the password, and whose rights flags give.
func (s *site) add(name string, rights ...string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.sledge(append([]string{"web", "user", "add", name, "--password-file", file, "--replace"}, rights...)...)
}

// addToken adds a user for a program, and returns its token.
func (s *site) addToken(name, role string) string {
	s.t.Helper()
	return strings.TrimSpace(s.sledge("web", "user", "add", name, "--role", role, "--token"))
}
