//go:build !windows

package cli

import "syscall"

// unread is the error of a write to a pipe without a reader.
const unread = syscall.EPIPE
