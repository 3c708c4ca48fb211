//go:build unix

package testserver

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// unsupported is empty, because servers can be started on this system.
const unsupported = ""

//go:embed watch.sh
var watchScript string

//go:embed restart.sh
var restartScript string

// RestartCommand returns a command of the shell that restarts a server opened with Own, and fails if the
// server does not start.
func (s *Server) RestartCommand() string {
	words := s.stopWords("RestartCommand")
	if s.credential != nil {
		words = append(words, "setpriv", fmt.Sprint("--reuid=", s.credential.Uid), fmt.Sprint("--regid=", s.credential.Gid), "--clear-groups")
	}
	words = append(append(words, s.program), s.product.arguments(s)...)
	return "'" + strings.Join(words, "' '") + "'"
}

// StopCommand returns a command of the shell that stops a server, also after its RestartCommand.
func (s *Server) StopCommand() string {
	return "'" + strings.Join(s.stopWords("StopCommand"), "' '") + "'"
}

func (s *Server) stopWords(action string) []string {
	t := s.owner(action)
	script := filepath.Join(s.folder, "restart.sh")
	if err := os.WriteFile(script, []byte(restartScript), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"/bin/sh", script, s.folder, strconv.Itoa(int(s.product.signals[Fast]))}
}

// launchScript writes its process ID to the file that the watcher reads, and then becomes the
// server. So the server never runs without the watcher, and cannot start after the watcher has
// removed the folder.
const launchScript = `echo $$ >"$1" && shift && exec "$@"`

// process is the server's process and its watcher.
type process struct {
	credential *syscall.Credential // nil runs the server as the current user
	command    *exec.Cmd
	exited     chan struct{} // closed when the server has ended
	watcher    *exec.Cmd
	lifeline   io.Closer // the watcher acts when this is closed
}

// parent returns the folder for the folders of servers: the one for temporary files, unless its path is
// too long for a socket, which is limited to about a hundred bytes, or another system user cannot reach
// it.
func parent() string {
	const longest, searchable = 16, 0o001 // by all users
	folder := filepath.Clean(os.TempDir())
	if info, err := os.Stat(folder); err == nil && len(folder) <= longest && info.Mode()&searchable != 0 {
		return folder
	}
	return "/tmp"
}

// makeFolder creates the server's folder and starts its watcher.
func (s *Server) makeFolder() error {
	var err error
	if s.credential, err = credentialFor(s.product); err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp(parent(), "sledge-"+s.Database+"-"); err != nil {
		return err
	}
	if err := s.watch(); err != nil {
		return errors.Join(err, os.RemoveAll(s.folder))
	}
	if err := s.handOver(s.folder); err != nil {
		return err
	}
	return s.bringProgram()
}

// bringProgram copies the server's programs into its folder if its system user cannot reach them,
// for example in .cache/servers of a clone in a private folder.
func (s *Server) bringProgram() error {
	if s.credential == nil {
		return nil
	}
	const searchable = 0o001 // by all users
	for folder := filepath.Dir(s.program); ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		if err != nil {
			return err
		}
		if info.Mode()&searchable == 0 {
			break
		}
		if folder == filepath.Dir(folder) {
			return nil
		}
	}
	own := filepath.Join(s.folder, "program")
	if err := os.CopyFS(own, os.DirFS(filepath.Dir(filepath.Dir(s.program)))); err != nil {
		return fmt.Errorf("copy the programs of %s into a folder that its system user can read: %w", s.Database, err)
	}
	s.program = filepath.Join(own, filepath.Base(filepath.Dir(s.program)), filepath.Base(s.program))
	return filepath.WalkDir(own, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(s.credential.Uid), int(s.credential.Gid))
	})
}

// credentialFor returns the system user to run the server as: nil for the current user, unless that
// is root and the product refuses root.
func credentialFor(p *product) (*syscall.Credential, error) {
	if os.Geteuid() != 0 || p.accounts == nil {
		return nil, nil
	}
	for _, name := range p.accounts {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(account.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("read the number of the system user %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(account.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("read the group of the system user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("%s refuses to run as root, and there is no system user %s", p.name, strings.Join(p.accounts, " or "))
}

// handOver makes the server's system user the owner of a file or folder.
func (s *Server) handOver(path string) error {
	if s.credential == nil {
		return nil
	}
	return os.Chown(path, int(s.credential.Uid), int(s.credential.Gid))
}

// writeFile writes a file that only the server can read.
func (s *Server) writeFile(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	return s.handOver(path)
}

func (s *Server) watch() error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reader.Close()
	signal := strconv.Itoa(int(s.product.signals[Immediate]))
	s.watcher = exec.Command("/bin/sh", "-c", watchScript, "watch.sh", s.folder, signal)
	s.watcher.Stdin = reader
	s.watcher.Dir = "/"
	// A new session keeps Ctrl-C on the terminal from ending the watcher.
	s.watcher.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := s.watcher.Start(); err != nil {
		return errors.Join(fmt.Errorf("start the server's watcher: %w", err), writer.Close())
	}
	s.lifeline = writer
	return nil
}

// close makes the watcher kill the server and remove its folder. The data are no longer needed.
func (s *Server) close() {
	if s.watcher == nil {
		return
	}
	_ = s.lifeline.Close()
	_ = s.watcher.Wait()
	if s.exited != nil {
		<-s.exited
	}
}

// run runs a program as the server's system user, and waits for its end.
func (s *Server) run(input, path string, arguments ...string) error {
	cmd := exec.Command(path, arguments...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Dir = s.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: s.credential}
	output, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", path, err, bytes.TrimSpace(output))
	}
	return nil
}

// launch starts the server, without waiting until it is ready.
func (s *Server) launch(arguments []string) error {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	pidFile := filepath.Join(s.folder, "pid")
	cmd := exec.Command("/bin/sh", append([]string{"-c", launchScript, "launch", pidFile, s.program}, arguments...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), s.environment...)
	cmd.Dir = s.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: s.credential}
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	s.command, s.exited = cmd, exited
	go func() {
		defer close(exited)
		_ = cmd.Wait()
		_ = os.Remove(pidFile)
	}()
	return nil
}

// Pid returns the ID of the server's process, or 0 for a server that the environment names.
func (s *Server) Pid() int {
	if s.command == nil {
		return 0
	}
	return s.command.Process.Pid
}

func (s *Server) hasExited() bool {
	select {
	case <-s.exited:
		return true
	default:
		return false
	}
}

func (s *Server) stop(mode Mode) error {
	if err := s.thaw(); err != nil {
		return err
	}
	if err := s.command.Process.Signal(s.product.signals[mode]); err != nil {
		return err
	}
	select {
	case <-s.exited:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("it is still running after %v; its log says:\n%s", patience, s.logTail())
	}
}

// freeze stops the server's process first, so that it starts no more children, and then its
// children, such as PostgreSQL's backends and auxiliary processes.
func (s *Server) freeze() error {
	if err := s.command.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	if err := s.signalChildren(syscall.SIGSTOP); err != nil {
		return err
	}
	pids, err := children(s.Pid())
	if err != nil {
		return err
	}
	return waitUntilStopped(append(pids, s.Pid()))
}

// waitUntilStopped waits until all processes have stopped after a stop signal, because on a busy
// machine they may send another response first. It reads all states with one command, because a
// command for each process would take seconds on such a machine.
func waitUntilStopped(pids []int) error {
	var list []string
	for _, pid := range pids {
		list = append(list, strconv.Itoa(pid))
	}
	goesOn := func(state string) bool { return !strings.HasPrefix(state, "T") && !strings.HasPrefix(state, "Z") }
	for end := time.Now().Add(patience); time.Now().Before(end); {
		states, err := exec.Command("ps", "-o", "state=", "-p", strings.Join(list, ",")).Output()
		if err != nil || !slices.ContainsFunc(strings.Fields(string(states)), goesOn) {
			return nil // ps returns an error if all have ended
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("some of the processes %v do not stop", pids)
}

func (s *Server) thaw() error {
	if err := s.signalChildren(syscall.SIGCONT); err != nil {
		return err
	}
	return s.command.Process.Signal(syscall.SIGCONT)
}

func (s *Server) signalChildren(signal syscall.Signal) error {
	pids, err := children(s.Pid())
	if err != nil {
		return err
	}
	for _, pid := range pids {
		// A backend may have ended since children listed it.
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal process %d: %w", pid, err)
		}
	}
	return nil
}

// children returns the processes that a process has started.
func children(parent int) ([]int, error) {
	output, err := exec.Command("ps", "-A", "-o", "pid=", "-o", "ppid=").Output()
	if err != nil {
		return nil, fmt.Errorf("list processes with ps: %w", err)
	}
	var list []int
	for line := range strings.Lines(string(output)) {
		var pid, ppid int
		if _, err := fmt.Sscan(line, &pid, &ppid); err != nil {
			return nil, fmt.Errorf("read a line of ps: %w", err)
		}
		if ppid == parent {
			list = append(list, pid)
		}
	}
	return list, nil
}
