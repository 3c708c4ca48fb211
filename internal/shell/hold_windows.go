package shell

import (
	"context"
	"os/exec"
	"syscall"
)

// commandOf returns a command of the shell. Signals of the terminal, such as Ctrl-C, do not reach it.
func commandOf(ctx context.Context, command string) *exec.Cmd {
	c := exec.CommandContext(ctx, "cmd", "/C", command)
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return c
}

// held does nothing: a command cannot wait on Windows.
func held(*exec.Cmd) (letGo func() error, err error) { return func() error { return nil }, nil }
