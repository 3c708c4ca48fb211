package cli

import "syscall"

// unread is the error of a write to a pipe that nobody reads.
const unread = syscall.ERROR_BROKEN_PIPE
