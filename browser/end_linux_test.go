//go:build browser

package browser

import (
	"os/exec"
	"syscall"
)

// endWithUs ends a program with the tests, also if they are killed without cleaning up.
func endWithUs(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
