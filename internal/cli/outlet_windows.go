package cli

import (
	"errors"
	"os"
	"syscall"
)

// isBrokenPipe reports whether a write failed since the reader of a pipe has gone.
func isBrokenPipe(err error) bool {
	const noData = syscall.Errno(232) // ERROR_NO_DATA: the pipe is being closed
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData)
}

// readerGone reports whether a file is a pipe whose reader has gone: a write finds out.
func readerGone(*os.File) bool { return false }
