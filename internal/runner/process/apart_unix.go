//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// apart keeps the signals from a worker that a terminal sends to this program and to all that it
// has started.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
