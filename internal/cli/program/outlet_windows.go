package program

import (
	"errors"
	"os"
	"syscall"
)

// isBrokenPipe reports whether a write failed because the reader of a pipe has gone.
func isBrokenPipe(err error) bool {
	const noData = syscall.Errno(232) // ERROR_NO_DATA: the pipe is being closed
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData)
}

// readerGone returns false, because on Windows only a write shows that the reader has gone.
func readerGone(*os.File) bool { return false }
