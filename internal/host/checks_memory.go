package host

import (
	"fmt"
	"io/fs"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

const hugePage = "sys/kernel/mm/transparent_hugepage/enabled"

var memoryChecks = []doctor.Check{
	{
		ID: "mem.thp", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "madvise or never",
		Why:    "The kernel stops processes while it builds huge pages for them, which is seen as jitter.",
		Mend:   "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
		Source: fromTuned + ": postgresql, oracle; " + fromKernel + ": transhuge",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Chosen(hugePage) == "always", "transparent huge pages are always used")
		},
	},
	{
		ID: "mem.huge", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "huge pages for the server's shared memory",
		Why:    "With pages of 4 KiB, page tables of large shared memory take memory and time in each process.",
		Mend:   "sysctl vm.nr_hugepages=N, where N is (shared memory + 3 %) / 2 MiB, and restart the server",
		Source: "HammerDB's guide to PostgreSQL; PostgreSQL manual, Linux Huge Pages",
		Finds: func(f *doctor.Facts) string {
			memory, pages, free := f.Count("place", "memory"), f.Field("proc/meminfo", "HugePages_Total"), f.Field("proc/meminfo", "HugePages_Free")
			switch {
			case memory > 8*doctor.GiB && pages == 0:
				return fmt.Sprintf("no huge pages for %s of buffer memory", doctor.Bytes(memory))
			case pages > 0 && free == pages:
				return fmt.Sprintf("%.0f huge pages are reserved and none is used", pages)
			}
			return ""
		},
	},
	{
		ID: "mem.swappiness", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "1 to 10",
		Why:    "The kernel swaps out memory of the server to keep more of its file cache.",
		Mend:   "sysctl vm.swappiness=10",
		Source: fromTuned + ": throughput-performance has 10, postgresql 3, mssql 1",
		Finds: func(f *doctor.Facts) string {
			swappiness := f.Number("proc/sys/vm/swappiness")
			if f.Field("proc/meminfo", "SwapTotal") == 0 {
				return ""
			}
			return doctor.If(swappiness > 10, "vm.swappiness is %.0f, and the machine has swap", swappiness)
		},
	},
	{
		ID: "mem.swapping", On: doctor.Client, Cost: doctor.Watching, Severity: job.SeverityStop,
		Wanted: "no swapping",
		Why:    "Memory is overcommitted, so a run would measure the swap device.",
		Mend:   "End other programs, or give the server less memory",
		Source: "proc(5): vmstat",
		Finds: func(f *doctor.Facts) string {
			in, out := f.Growth("in", f.Field("proc/vmstat", "pswpin")), f.Growth("out", f.Field("proc/vmstat", "pswpout"))
			return doctor.If(in+out > 0, "%.0f pages a second are swapped in, and %.0f out", in, out)
		},
	},
	{
		ID: "mem.fits", On: doctor.ServerMachine, Severity: job.SeverityStop,
		Wanted: "at most 90 % of the memory",
		Why:    "If the server's buffers and the working memory of all users do not fit, it swaps or is killed.",
		Mend:   "Lower the buffer memory, the working memory of a session, or the number of users",
		Source: fromPractice,
		Finds: func(f *doctor.Facts) string {
			buffers, each, memory := f.Count("place", "memory"), f.Count("place", "each"), f.Memory()
			need := buffers + each*float64(f.Load().Connections)
			return doctor.If(need > 0.9*memory, "%s of buffers and %s for each of %d connections need %s of %s",
				doctor.Bytes(buffers), doctor.Bytes(each), f.Load().Connections, doctor.Bytes(need), doctor.Bytes(memory))
		},
	},
	{
		ID: "mem.dirty", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "limits in bytes: 64 MiB in the background, 512 MiB at most",
		Why:    "A share of much memory is written back at once, which stops the server's flushes for seconds.",
		Mend:   "sysctl vm.dirty_background_bytes=67108864 vm.dirty_bytes=536870912",
		Source: fromTuned + ": postgresql",
		Finds: func(f *doctor.Facts) string {
			fixed, memory := f.Number("proc/sys/vm/dirty_background_bytes"), f.Memory()
			return doctor.If(fixed == 0 && memory > 32*doctor.GiB, "vm.dirty_background_ratio is %s %% of %s", f.File("proc/sys/vm/dirty_background_ratio"), doctor.Bytes(memory))
		},
	},
	{
		ID: "mem.numa", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "vm.zone_reclaim_mode 0 and, with several nodes, kernel.numa_balancing 0",
		Why:    "The kernel frees or moves memory although another node has enough of it.",
		Mend:   "sysctl vm.zone_reclaim_mode=0 kernel.numa_balancing=0, and start the server with numactl --interleave=all",
		Source: fromTuned + "; " + fromKernel + ": sysctl/vm",
		Finds: func(f *doctor.Facts) string {
			reclaim, has := f.Optional("proc/sys/vm/zone_reclaim_mode")
			if has && reclaim != "0" {
				return "vm.zone_reclaim_mode is " + reclaim
			}
			f.File("proc/meminfo") // the machine is readable
			if m := f.Machine(); m.Root != nil {
				nodes, _ := fs.Glob(m.Root, "sys/devices/system/node/node[0-9]*")
				balancing, _ := f.Optional("proc/sys/kernel/numa_balancing")
				return doctor.If(len(nodes) > 1 && balancing != "0" && balancing != "", "kernel.numa_balancing is %s with %d nodes", balancing, len(nodes))
			}
			return ""
		},
	},
	{
		ID: "mem.zswap", On: doctor.ServerMachine, Severity: job.SeverityNote,
		Wanted: "off while measuring",
		Why:    "Compressing memory takes CPU time.",
		Mend:   "echo N > /sys/module/zswap/parameters/enabled",
		Source: fromKernel + ": zswap",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Field("proc/meminfo", "SwapTotal") > 0 && is(f, "sys/module/zswap/parameters/enabled", "Y"), "zswap compresses memory")
		},
	},
	{
		ID: "mem.ksm", On: doctor.ServerMachine, Severity: job.SeverityNote,
		Wanted: "off while measuring",
		Why:    "Looking for equal pages takes CPU time.",
		Mend:   "echo 0 > /sys/kernel/mm/ksm/run",
		Source: fromKernel + ": ksm",
		Finds: func(f *doctor.Facts) string {
			f.File("proc/meminfo") // the machine is readable
			return doctor.If(is(f, "sys/kernel/mm/ksm/run", "1"), "the kernel merges equal pages")
		},
	},
}

// is reports whether a file that not every kernel has holds a value.
func is(f *doctor.Facts, file, value string) bool {
	text, has := f.Optional(file)
	return has && text == value
}
