// Package shell runs commands of the user's in the system's shell: sh, on Windows cmd.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"sledge/internal/host"
)

// Run runs a command with an input, and waits until it ends. The command has a session of its own, so that
// Ctrl-C does not reach it, and outlives this process. Its error has the last lines that it printed.
//
// If keep is not nil, it is told of the command's process before the command begins, and of no process after
// its end. The command does not begin if keep fails or, except on Windows, if this process ends before.
func Run(ctx context.Context, command, input string, keep func(host.Process) error) error {
	if keep == nil {
		keep = func(host.Process) error { return nil }
	}
	c := commandOf(ctx, command)
	c.Stdin = strings.NewReader(input)
	// A file, because a server that the command starts may keep its output open.
	output, err := os.CreateTemp("", "sledge-command-")
	if err != nil {
		return err
	}
	_ = os.Remove(output.Name()) // on Windows it can be removed only after it is closed
	defer os.Remove(output.Name())
	defer output.Close()
	c.Stdout, c.Stderr = output, output
	letGo, err := held(c)
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return errors.Join(err, letGo())
	}
	process, err := host.ProcessOf(c.Process.Pid)
	if err == nil {
		err = keep(process)
	}
	if err == nil {
		err = letGo()
	}
	if err != nil {
		return errors.Join(err, c.Process.Kill(), c.Wait())
	}
	if err = c.Wait(); err != nil {
		err = fmt.Errorf("%w: %s", err, lastLines(output))
	}
	return errors.Join(err, keep(host.Process{}))
}

// lastLines returns the last lines of a command's output, which must be seekable, on one line.
func lastLines(output io.ReadSeeker) string {
	const most, bytes = 5, 2 << 10
	if _, err := output.Seek(-bytes, io.SeekEnd); err != nil { // it is shorter
		_, _ = output.Seek(0, io.SeekStart) // the command's error matters
	}
	text, _ := io.ReadAll(io.LimitReader(output, bytes))
	lines := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.ToValidUTF8(strings.Join(lines[max(0, len(lines)-most):], "; "), "?")
}

// Await waits until a process that Run told of has ended.
func Await(ctx context.Context, p host.Process) error {
	for p.PID != 0 && p.Alive() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("an earlier command is still running (process %d): %w", p.PID, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}
