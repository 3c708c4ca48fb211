//go:build !linux

package host

import (
	"errors"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/net"

	"sledge/internal/job"
)

// readFigures reads the figures that all systems report.
func readFigures() ([]figure, error) {
	var list []figure
	times, failed := cpu.Times(false)
	for _, t := range times {
		total := t.User + t.Nice + t.System + t.Idle + t.Iowait + t.Irq + t.Softirq + t.Steal
		for _, mode := range []struct {
			name    string
			seconds float64
		}{{"user", t.User + t.Nice}, {"system", t.System}, {"interrupts", t.Irq + t.Softirq}} {
			list = append(list, figure{job.Series{Name: "CPU", Unit: "%", Labels: client("mode", mode.name)}, ratio, 100 * mode.seconds, total})
		}
	}
	memory, err := mem.VirtualMemory()
	failed = errors.Join(failed, err)
	if err == nil {
		list = append(list, figure{job.Series{Name: "memory", Unit: "MiB", Labels: client("use", "used")}, level, float64(memory.Used) / (1 << 20), 0})
	}
	disks, err := disk.IOCounters()
	failed = errors.Join(failed, err)
	for name, d := range disks {
		series := func(what, unit string, labels ...string) job.Series {
			return job.Series{Name: what, Unit: unit, Labels: client(append(labels, "disk", name)...)}
		}
		list = append(list,
			figure{series("disk throughput", "MB a second", "direction", "read"), rate, float64(d.ReadBytes) / 1e6, 0},
			figure{series("disk throughput", "MB a second", "direction", "written"), rate, float64(d.WriteBytes) / 1e6, 0},
			figure{series("disk requests", "a second", "kind", "reads"), rate, float64(d.ReadCount), 0},
			figure{series("disk requests", "a second", "kind", "writes"), rate, float64(d.WriteCount), 0},
		)
	}
	interfaces, err := net.IOCounters(true)
	failed = errors.Join(failed, err)
	for _, one := range interfaces {
		if one.BytesRecv+one.BytesSent == 0 {
			continue
		}
		series := func(direction string) job.Series {
			return job.Series{Name: "network throughput", Unit: "MB a second", Labels: client("interface", one.Name, "direction", direction)}
		}
		list = append(list, figure{series("received"), rate, float64(one.BytesRecv) / 1e6, 0}, figure{series("sent"), rate, float64(one.BytesSent) / 1e6, 0})
	}
	slices.SortFunc(list, func(a, b figure) int { return strings.Compare(a.Name+a.Called(), b.Name+b.Called()) })
	return list, failed
}
