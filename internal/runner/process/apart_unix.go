//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// apart shields a worker from the signals that a terminal sends to this program and its children.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
