//go:build unix

package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// commandOf returns a command of the shell that waits until it is let go. Signals of the terminal, such as
// Ctrl-C, do not reach it.
func commandOf(ctx context.Context, command string) *exec.Cmd {
	c := exec.CommandContext(ctx, "/bin/sh", "-c", "read -r _ <&3 && exec 3<&- || exit 1\n"+command)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return c
}

// held gives a command a pipe on which it waits. The command does nothing if this process ends before
// it lets it go.
func held(c *exec.Cmd) (letGo func() error, err error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.ExtraFiles = []*os.File{reader}
	return func() error {
		_, err := writer.WriteString("go\n")
		return errors.Join(err, writer.Close(), reader.Close())
	}, nil
}
