//go:build !linux

package host

import (
	"io/fs"

	"sledge/internal/job"
)

// waitedSeconds returns false: only Linux reports the waits of threads for a core.
func waitedSeconds(fs.FS) (float64, bool) { return 0, false }

// beginMachine does nothing: only Linux reports the use of cores.
func beginMachine() (end func(client, elapsed float64, cores int) *job.MachineLoad) {
	return func(float64, float64, int) *job.MachineLoad { return nil }
}
