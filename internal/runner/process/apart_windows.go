package process

import (
	"os/exec"
	"syscall"
)

// apart keeps the Ctrl-C from a worker that a terminal sends to this program and to all that it
// has started.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
