package process

import (
	"os/exec"
	"syscall"
)

// apart shields a worker from the Ctrl-C that a terminal sends to this program and its children.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
