//go:build browser

package browser

import (
	"os/exec"
	"syscall"
)

// endWithUs has a program end with the tests, also where those are cut off and clean nothing up.
func endWithUs(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
