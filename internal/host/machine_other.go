//go:build !linux

package host

import "sledge/internal/job"

// beginMachine would watch who uses the cores of this machine, which only Linux tells.
func beginMachine() (end func(client, elapsed float64, cores int) *job.MachineLoad) {
	return func(float64, float64, int) *job.MachineLoad { return nil }
}
