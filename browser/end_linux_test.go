//go:build browser

package browser

import (
	"os/exec"
	"syscall"
)

// endWithUs makes a program end with the tests, even if they are killed and cannot clean up.
func endWithUs(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
