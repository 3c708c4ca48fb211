package host

import "syscall"

// CPUSeconds returns the CPU time, user and system, of this process.
func CPUSeconds() float64 {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	ticks := func(f syscall.Filetime) float64 { return float64(uint64(f.HighDateTime)<<32 | uint64(f.LowDateTime)) } // of 100 ns
	return (ticks(kernel) + ticks(user)) / 1e7
}
