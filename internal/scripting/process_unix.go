//go:build unix

package scripting

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// startAtTerminal starts a command at its own terminal, and returns our end of the terminal.
func startAtTerminal(command *exec.Cmd, size Size) (*os.File, error) {
	ours, err := pty.StartWithSize(command, &pty.Winsize{Cols: uint16(size.Columns), Rows: uint16(size.Rows)})
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	// The library leaves the file in blocking mode, in which reads and writes cannot be
	// interrupted.
	fd, err := unix.FcntlInt(ours.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		killAll(command.Process)
		_ = command.Wait() // it was killed
		return nil, err
	}
	return os.NewFile(uintptr(fd), ours.Name()), nil
}

func resize(terminal *os.File, size Size) error {
	raw, err := terminal.SyscallConn()
	if err != nil {
		return err
	}
	wanted := &unix.Winsize{Col: uint16(size.Columns), Row: uint16(size.Rows)}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, wanted) })
	return errors.Join(err, failed)
}

// alone puts a command into its own process group, so that Ctrl-C at our terminal does not reach
// it.
func alone(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ask asks a process to end: at a terminal by SIGTERM, otherwise by SIGINT to the process and its
// children, as Ctrl-C does. It returns false if that is not possible.
func ask(process *os.Process, atTerminal bool) bool {
	if atTerminal {
		return process.Signal(syscall.SIGTERM) == nil // not SIGHUP, which nohup ignores
	}
	return syscall.Kill(-process.Pid, syscall.SIGINT) == nil
}

// killAll kills a process and its process group.
func killAll(process *os.Process) {
	_ = syscall.Kill(-process.Pid, syscall.SIGKILL) // it may have ended just now
}
