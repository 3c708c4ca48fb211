package scripting

import (
	"errors"
	"os"
	"os/exec"

	"sledge/internal/job"
)

// noTerminal is the error for a prompt on Windows, for which there is no terminal.
var noTerminal = job.WithExit(job.ExitUsage, errors.New("on Windows there is no console in the browser: run sledge console in a terminal; scripts run here, too"))

func startAtTerminal(*exec.Cmd, Size) (*os.File, error) { return nil, noTerminal }

func resize(*os.File, Size) error { return noTerminal }

func alone(*exec.Cmd) {}

// ask returns false, because Windows cannot signal a single process.
func ask(*os.Process, bool) bool { return false }

func killAll(process *os.Process) {
	_ = process.Kill() // it may have ended just now
}
