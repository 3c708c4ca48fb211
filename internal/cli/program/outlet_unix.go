//go:build !windows

package program

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// isBrokenPipe reports whether a write failed because the reader of a pipe has gone.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// readerGone reports whether a file is a pipe whose reader has gone.
func readerGone(f *os.File) bool {
	poll := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0 && poll[0].Revents&unix.POLLERR != 0
}
