//go:build !linux

package host

import "sledge/internal/job"

// beginMachine does nothing: only Linux reports the use of cores.
func beginMachine() (end func(client, elapsed float64, cores int) *job.MachineLoad) {
	return func(float64, float64, int) *job.MachineLoad { return nil }
}
