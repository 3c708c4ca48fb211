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

// This describes the machine that Sledge runs on. Facts that the system does not report stay
// empty: a result without them is better than none.
func This() job.Host {
	h := job.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Settings: settings()}
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
