//go:build !linux

package host

import (
	"io/fs"
	"time"

	"sledge/internal/job"
)

// waitedSeconds returns false: only Linux reports the waits of threads for a core.
func waitedSeconds(fs.FS) (float64, bool) { return 0, false }

// machineWatch measures nothing: only Linux reports the use of cores.
type machineWatch struct{}

func watchMachine() *machineWatch { return nil }

func (*machineWatch) second(time.Duration, float64, int) {}

func (*machineWatch) end(float64, float64, int) *job.MachineLoad { return nil }
