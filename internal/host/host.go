// Package host describes the machine that Sledge runs on and its processes. It does not know the
// content of jobs.
package host

import (
	"os"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/mem"

	"sledge/internal/job"
)

// machineCores returns the number of cores of this machine, of which this process may use fewer.
func machineCores() int {
	if n, err := cpu.Counts(true); err == nil && n > 0 {
		return n
	}
	return runtime.NumCPU()
}

// This describes the machine that Sledge runs on. Facts that the system does not report stay
// empty: a result without them is better than none.
func This() job.Host {
	h := job.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: machineCores(), Settings: settings()}
	h.Name, _ = os.Hostname()
	if info, err := host.Info(); err == nil {
		h.OS = strings.TrimSpace(info.Platform + " " + info.PlatformVersion)
		h.Kernel = info.KernelVersion
	}
	if cpus, err := cpu.Info(); err == nil && len(cpus) > 0 {
		h.CPU = cpus[0].ModelName
	}
	if memory, err := mem.VirtualMemory(); err == nil {
		h.MemoryBytes = memory.Total
	}
	return h
}
