package tuning

import (
	"os/exec"
	"syscall"
)

// detach keeps signals of the terminal, such as Ctrl-C, from a command.
func detach(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
