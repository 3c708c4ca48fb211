package host

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

// readFigures reads Linux's figures of this machine. In a container, those of control groups show
// its limits; /proc shows the whole machine.
func readFigures() ([]figure, error) { return figuresBelow("/") }

// figuresBelow reads the figures below a folder that has proc and sys.
func figuresBelow(root string) ([]figure, error) {
	proc, err := procfs.NewFS(filepath.Join(root, "proc"))
	if err != nil {
		return nil, err
	}
	var list []figure
	var failed error
	for _, read := range []func(procfs.FS, string) ([]figure, error){cpuFigures, memoryFigures, diskFigures, networkFigures, pressureFigures, groupFigures} {
		figures, err := read(proc, root)
		list, failed = append(list, figures...), errors.Join(failed, err)
	}
	return list, failed
}

// cpuFigures are the shares of the time of all cores, and the threads that wait for a core.
func cpuFigures(proc procfs.FS, root string) ([]figure, error) {
	stat, err := proc.Stat()
	if err != nil {
		return nil, err
	}
	t := stat.CPUTotal // guest time is part of user time
	total := t.User + t.Nice + t.System + t.Idle + t.Iowait + t.IRQ + t.SoftIRQ + t.Steal
	mode := func(name string, seconds float64) figure {
		return figure{job.Series{Name: "CPU", Unit: "%", Labels: client("mode", name)}, ratio, 100 * seconds, total}
	}
	list := []figure{
		mode("user", t.User+t.Nice), mode("system", t.System), mode("interrupts", t.IRQ+t.SoftIRQ), mode("steal", t.Steal), mode("waiting for disks", t.Iowait),
		{job.Series{Name: "context switches", Unit: "a second", Labels: client()}, rate, float64(stat.ContextSwitches), 0},
	}
	if megahertz, known := frequency(root); known {
		list = append(list, figure{job.Series{Name: "CPU frequency", Unit: "MHz", Labels: client()}, level, megahertz, 0})
	}
	if sched, err := proc.Schedstat(); err == nil { // a kernel may have none
		var waited uint64
		for _, core := range sched.CPUs {
			waited += core.WaitingNanoseconds
		}
		list = append(list, figure{job.Series{Name: "threads waiting for a core", Labels: client()}, rate, float64(waited) / 1e9, 0})
	}
	return list, nil
}

// mostFrequencies limits the cores whose frequency is read: kernels before 5.18 may need 10 ms for each.
const mostFrequencies = 8

// frequency returns the mean frequency of cores that are spread over all of them. It returns false if
// the system has no driver that reports it, as most virtual machines.
func frequency(root string) (megahertz float64, known bool) {
	files, _ := filepath.Glob(filepath.Join(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"))
	n := 0
	for i := 0; i < len(files); i += (len(files) + mostFrequencies - 1) / mostFrequencies {
		text, err := os.ReadFile(files[i])
		if kilohertz := doctor.Number(string(text)); err == nil && kilohertz > 0 { // a core may be offline
			megahertz, n = megahertz+kilohertz/1000, n+1
		}
	}
	return megahertz / max(1, float64(n)), n > 0
}

// memoryFigures are the amounts of memory by use, and the pages that were read because they were not
// in memory.
func memoryFigures(proc procfs.FS, root string) ([]figure, error) {
	info, err := proc.Meminfo()
	if err != nil {
		return nil, err
	}
	var list []figure
	use := func(name string, bytes float64) {
		list = append(list, figure{job.Series{Name: "memory", Unit: "MiB", Labels: client("use", name)}, level, bytes / (1 << 20), 0})
	}
	if total, available := info.MemTotalBytes, info.MemAvailableBytes; total != nil && available != nil {
		use("used", float64(*total)-float64(*available))
	}
	for _, part := range []struct {
		name  string
		bytes *uint64
	}{{"cache", info.CachedBytes}, {"dirty", info.DirtyBytes}, {"being written", info.WritebackBytes}} {
		if part.bytes != nil {
			use(part.name, float64(*part.bytes))
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "proc/vmstat"))
	if err != nil {
		return list, err
	}
	names := map[string]string{"pgmajfault": "read from disk", "pswpin": "swapped in", "pswpout": "swapped out"}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if called := names[name]; called != "" {
			list = append(list, figure{job.Series{Name: "pages", Unit: "a second", Labels: client("pages", called)}, rate, doctor.Number(value), 0})
		}
		if name == "oom_kill" { // since Linux 4.13
			list = append(list, figure{job.Series{Name: "processes killed for memory", Unit: "a second", Labels: client()}, rate, doctor.Number(value), 0})
		}
	}
	return list, nil
}

// sector is the unit of sizes in /proc/diskstats, in bytes. It is the same for all disks.
const sector = 512

// diskFigures are those of the disks, without partitions and devices that consist of others.
func diskFigures(_ procfs.FS, root string) ([]figure, error) {
	block, err := blockdevice.NewFS(filepath.Join(root, "proc"), filepath.Join(root, "sys"))
	if err != nil {
		return nil, err
	}
	disks, err := block.ProcDiskstats()
	if err != nil {
		return nil, err
	}
	var list []figure
	for _, disk := range disks {
		name := disk.DeviceName
		if _, err := os.Stat(filepath.Join(root, "sys/block", name, "device")); err != nil || disk.ReadIOs+disk.WriteIOs == 0 {
			continue
		}
		series := func(what, unit string, labels ...string) job.Series {
			return job.Series{Name: what, Unit: unit, Labels: client(append(labels, "disk", name)...)}
		}
		list = append(list,
			figure{series("disk throughput", "MB a second", "direction", "read"), rate, float64(disk.ReadSectors) * sector / 1e6, 0},
			figure{series("disk throughput", "MB a second", "direction", "written"), rate, float64(disk.WriteSectors) * sector / 1e6, 0},
			figure{series("disk requests", "a second", "kind", "reads"), rate, float64(disk.ReadIOs), 0},
			figure{series("disk requests", "a second", "kind", "writes"), rate, float64(disk.WriteIOs), 0},
			figure{series("disk requests", "a second", "kind", "flushes"), rate, float64(disk.FlushRequestsCompleted), 0},
			figure{series("disk response time", "ms", "kind", "reads"), ratio, float64(disk.ReadTicks), float64(disk.ReadIOs)},
			figure{series("disk response time", "ms", "kind", "writes"), ratio, float64(disk.WriteTicks), float64(disk.WriteIOs)},
			figure{series("disk response time", "ms", "kind", "flushes"), ratio, float64(disk.TimeSpentFlushing), float64(disk.FlushRequestsCompleted)},
			figure{series("disk in use", "%"), rate, float64(disk.IOsTotalTicks) / 10, 0},
			figure{series("disk queue", "requests"), rate, float64(disk.WeightedIOTicks) / 1000, 0},
		)
	}
	return list, nil
}

// networkFigures are those of the interfaces that have transferred anything, and of TCP.
func networkFigures(proc procfs.FS, _ string) ([]figure, error) {
	interfaces, err := proc.NetDev()
	if err != nil {
		return nil, err
	}
	var list []figure
	problem := func(name string, n float64) {
		list = append(list, figure{job.Series{Name: "network problems", Unit: "a second", Labels: client("problem", name)}, rate, n, 0})
	}
	var faults, drops uint64
	throughput := func(name, direction string, bytes uint64) {
		list = append(list, figure{job.Series{Name: "network throughput", Unit: "MB a second", Labels: client("interface", name, "direction", direction)}, rate, float64(bytes) / 1e6, 0})
	}
	for _, name := range slices.Sorted(maps.Keys(interfaces)) {
		one := interfaces[name]
		faults += one.RxErrors + one.TxErrors
		drops += one.RxDropped + one.TxDropped
		if one.RxBytes+one.TxBytes > 0 {
			throughput(name, "received", one.RxBytes)
			throughput(name, "sent", one.TxBytes)
		}
	}
	problem("errors", float64(faults))
	problem("drops", float64(drops))
	self, err := proc.Self()
	if err != nil {
		return list, err
	}
	snmp, err := self.Snmp()
	if err != nil {
		return list, err
	}
	netstat, err := self.Netstat()
	for _, part := range []struct {
		name string
		n    *float64
	}{{"retransmitted segments", snmp.RetransSegs}, {"full accept queues", netstat.ListenOverflows}, {"full backlogs", netstat.TCPBacklogDrop}} {
		if part.n != nil {
			problem(part.name, *part.n)
		}
	}
	return list, err
}

// pressureFigures are the shares of the time in which some thread, or all, waited for a resource. A
// kernel may not measure them.
func pressureFigures(proc procfs.FS, _ string) (list []figure, _ error) {
	for _, resource := range []string{"cpu", "memory", "io"} {
		stats, err := proc.PSIStatsForResource(resource)
		if err != nil {
			continue
		}
		share := func(name string, line *procfs.PSILine) {
			if line != nil {
				list = append(list, figure{job.Series{Name: "pressure", Unit: "%", Labels: client("resource", resource, "threads", name)}, rate, float64(line.Total) / 1e4, 0})
			}
		}
		share("some wait", stats.Some)
		if resource != "cpu" { // of the whole machine, it is always 0
			share("all wait", stats.Full)
		}
	}
	return list, nil
}

// groupFigures are those of the smallest limit of this process's control groups, if there is any.
func groupFigures(_ procfs.FS, folder string) ([]figure, error) {
	root := os.DirFS(folder)
	cores := cgroupCores(root)
	if cores == 0 {
		return nil, nil
	}
	list := []figure{{job.Series{Name: "CPU limit of the container", Unit: "%", Labels: client("time", "throttled")}, rate, 100 * throttledSeconds(root) / cores, 0}}
	for _, g := range cgroups(root) {
		text, err := fs.ReadFile(root, path.Join(g.folder, "cpu.stat"))
		if _, value, found := strings.Cut(string(text), "usage_usec "); err == nil && found {
			used, _, _ := strings.Cut(value, "\n")
			return append(list, figure{job.Series{Name: "CPU limit of the container", Unit: "%", Labels: client("time", "used")}, rate, 100 * doctor.Number(used) / 1e6 / cores, 0}), nil
		}
	}
	return list, nil
}
