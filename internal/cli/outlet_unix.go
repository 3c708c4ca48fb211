//go:build !windows

package cli

import (
	"errors"
	"syscall"
)

// isBrokenPipe reports whether a write failed since the reader of a pipe has gone.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
