package host

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

var cpuChecks = []doctor.Check{
	{
		ID: "cpu.governor", On: doctor.Client, Severity: job.SeverityHigh,
		Wanted: "performance",
		Why:    "A governor that saves power changes the clock of the cores during a run, so runs are unlike each other.",
		Mend:   "cpupower frequency-set -g performance, or tuned-adm profile throughput-performance",
		Source: fromTuned + "; HammerDB's guide to the CPU's performance",
		Finds: func(f *doctor.Facts) string {
			governors := f.Files("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
			if slices.Equal(governors, []string{"performance"}) || len(governors) == 0 {
				return ""
			}
			// With an active pstate driver the governor powersave still follows the load, as fast as the
			// preference allows.
			if f.Has("sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference") {
				for _, preference := range f.Files("sys/devices/system/cpu/cpu[0-9]*/cpufreq/energy_performance_preference") {
					if preference != "performance" && preference != "balance_performance" {
						return "the governor is " + strings.Join(governors, " or ") + ", with the energy preference " + preference
					}
				}
				return ""
			}
			return "the governor is " + strings.Join(governors, " or ")
		},
	},
	{
		ID: "cpu.speed", On: doctor.Client, Cost: doctor.Measuring, Severity: job.SeverityHigh,
		Wanted: "at most 5 % between three measurements",
		Why:    "A core whose speed varies makes runs unlike each other.",
		Mend:   "Look for power saving, heat and other virtual machines on the host, or repeat runs and report their spread",
		Source: "HammerDB's single-threaded CPU test",
		Finds: func(f *doctor.Facts) string {
			times := []float64{f.Machine().Speed(), f.Machine().Speed(), f.Machine().Speed()}
			spread := 100 * (slices.Max(times)/slices.Min(times) - 1)
			return doctor.If(spread > 5, "a fixed loop on one core took %.0f, %.0f and %.0f ms, which differ by %.0f %%",
				1000*times[0], 1000*times[1], 1000*times[2], spread)
		},
	},
	{
		ID: "cpu.idle", On: doctor.ServerMachine, Severity: job.SeverityNote,
		Wanted: "no enabled idle state that takes more than 50 µs to leave, for tests of response times",
		Why:    "A core in a deep idle state answers late, which is seen at low load.",
		Mend:   "tuned-adm profile latency-performance, or cpupower idle-set -D 50",
		Source: fromTuned + ": force_latency",
		Finds: func(f *doctor.Facts) string {
			const state = "sys/devices/system/cpu/cpu0/cpuidle/state"
			f.Files(state + "[0-9]*/latency")
			for i := 0; f.Has(fmt.Sprintf("%s%d/latency", state, i)); i++ {
				off, _ := f.Optional(fmt.Sprintf("%s%d/disable", state, i))
				if latency := f.Number(fmt.Sprintf("%s%d/latency", state, i)); latency > 50 && off != "1" {
					return fmt.Sprintf("the idle state %s takes %.0f µs to leave", f.File(fmt.Sprintf("%s%d/name", state, i)), latency)
				}
			}
			return ""
		},
	},
	{
		ID: "cpu.throttled", On: doctor.Client, Cost: doctor.Watching, Severity: job.SeverityHigh,
		Wanted: "never",
		Why:    "A core that is too hot, or a control group that has used up its quota, does not run.",
		Mend:   "Improve the cooling, or raise cpu.max of the control group",
		Source: fromKernel + ": thermal_throttle, cgroup-v2",
		Finds: func(f *doctor.Facts) string {
			if f.File("proc/self/cgroup") == "" {
				return ""
			}
			quota := f.Growth("quota", throttledSeconds(f.Machine().Root))
			heat := 0.0
			const counts = "sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count"
			if f.Has("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count") {
				for _, text := range f.Files(counts) {
					heat += doctor.Number(text)
				}
			}
			switch heat = f.Growth("heat", heat); {
			case heat > 0:
				return fmt.Sprintf("cores were throttled by heat %.1f times a second", heat)
			case quota > 0.01:
				return fmt.Sprintf("the quota of a control group was used up for %.2f s a second", quota)
			}
			return ""
		},
	},
	{
		ID: "cpu.steal", On: doctor.Client, Cost: doctor.Watching, Severity: job.SeverityHigh,
		Wanted: "at most 1 % of the time",
		Why:    "The host gives the cores to other virtual machines, so runs are unlike each other.",
		Mend:   "Repeat the run at another time, or move to another host",
		Source: "proc(5): steal of /proc/stat",
		Finds: func(f *doctor.Facts) string {
			first, _, _ := strings.Cut(f.File("proc/stat"), "\n")
			fields := strings.Fields(first)
			if len(fields) < 9 {
				return f.Missing("/proc/stat has no line with the steal time")
			}
			all := 0.0
			for _, field := range fields[1:9] {
				all += doctor.Number(field)
			}
			steal, total := f.Growth("steal", doctor.Number(fields[8])), f.Growth("all", all)
			return doctor.If(total > 0 && steal/total > 0.01, "%.1f %% of the time was stolen", 100*steal/total)
		},
	},
	{
		ID: "cpu.shared", On: doctor.Load, Severity: job.SeverityHigh,
		Wanted: "the client on a machine of its own",
		Why:    "The client takes CPU time, memory and caches from the server.",
		Mend:   "Run Sledge on another machine, or bind server and client to different cores (taskset); the result shows the share of each",
		Source: fromHammerDB,
		Finds: func(f *doctor.Facts) string {
			if f.Load().Embedded {
				return f.Unconcerned()
			}
			return doctor.If(f.Local(), "client and server share one machine")
		},
	},
	{
		ID: "cpu.limit", On: doctor.Client, Severity: job.SeverityMedium,
		Wanted: "all cores of the machine, or a limit that the result states",
		Why:    "The process may use fewer cores than the machine shows.",
		Mend:   "Raise cpu.max or cpuset.cpus of the control group, or the affinity (taskset)",
		Source: fromKernel + ": cgroup-v2",
		Finds: func(f *doctor.Facts) string {
			allowed := coresIn(field(f.Machine().Root, "proc/self/status", "Cpus_allowed_list"))
			if f.File("proc/self/status"); allowed == 0 {
				return f.Missing("the affinity of this process is not known")
			}
			cores := f.Machine().Cores
			if limit := cgroupCores(f.Machine().Root); limit > 0 && limit < float64(cores) {
				return fmt.Sprintf("control groups allow %.2g of %d cores", limit, cores)
			}
			online := coresIn(f.File("sys/devices/system/cpu/online"))
			return doctor.If(allowed < online, "this process may use %d of %d cores", allowed, online)
		},
	},
	{
		ID: "cpu.irq", On: doctor.ServerMachine, Cost: doctor.Watching, Severity: job.SeverityMedium,
		Wanted: "packets spread over the cores",
		Why:    "One core that takes all packets from the network is full long before the others.",
		Mend:   "Start irqbalance, and set RSS or RPS of the interface (ethtool -L, rps_cpus)",
		Source: "HammerDB's guide to interrupts; " + fromKernel + ": networking/scaling",
		Finds: func(f *doctor.Facts) string {
			const enough = 10_000 // a second
			var most, all float64
			for line := range strings.Lines(f.File("proc/softirqs")) {
				counts, is := strings.CutPrefix(strings.TrimSpace(line), "NET_RX:")
				if !is {
					continue
				}
				for i, count := range strings.Fields(counts) {
					grown := f.Growth(strconv.Itoa(i), doctor.Number(count))
					most, all = max(most, grown), all+grown
				}
			}
			return doctor.If(f.Machine().Cores > 4 && all > enough && most > 0.7*all, "one core took %.0f %% of the packets", 100*most/max(all, 1))
		},
	},
}

// coresIn counts the cores in a list such as "0-3,8".
func coresIn(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, is := strings.Cut(strings.TrimSpace(part), "-")
		first, err := strconv.Atoi(from)
		if err != nil {
			continue
		}
		last := first
		if is {
			if last, err = strconv.Atoi(to); err != nil {
				continue
			}
		}
		n += last - first + 1
	}
	return n
}

var loadChecks = []doctor.Check{{
	ID: "load.before", On: doctor.Client, Severity: job.SeverityHigh,
	Wanted: "an idle machine: a load of at most 0.2 for each core, and at most 5 % of the time waiting for cores",
	Why:    "Something else uses the machine, and takes what the run measures.",
	Mend:   "End the other work, or wait until it has ended",
	Source: "HammerDB waits for a load of at most 1; proc(5): loadavg, " + fromKernel + ": PSI",
	Finds: func(f *doctor.Facts) string {
		first, _, _ := strings.Cut(f.File("proc/loadavg"), " ")
		each := doctor.Number(first) / float64(max(f.Machine().Cores, 1))
		waiting := 0.0
		if text, has := f.Optional("proc/pressure/cpu"); has {
			_, after, _ := strings.Cut(text, "avg10=")
			text, _, _ = strings.Cut(after, " ")
			waiting = doctor.Number(text)
		}
		if each <= 0.2 && waiting <= 5 {
			return ""
		}
		text := fmt.Sprintf("the load is %.2g for each core", each)
		if waiting > 5 {
			text += fmt.Sprintf(", and processes wait for cores %.0f %% of the time", waiting)
		}
		if names := running(f); len(names) > 0 {
			text += "; running now: " + strings.Join(names, ", ")
		}
		return text
	},
}}

// running lists the names of at most five other processes that run now or wait for a disk.
func running(f *doctor.Facts) (names []string) {
	own, _ := f.Optional("proc/self/stat")
	own, _, _ = strings.Cut(own, " ")
	files, _ := fs.Glob(f.Machine().Root, "proc/[0-9]*/stat")
	for _, file := range files {
		// "17812 (postgres) R ppid …"
		text, _ := f.Optional(file)
		pid, rest, _ := strings.Cut(text, " (")
		end := strings.LastIndexByte(rest, ')')
		if end < 0 || pid == own || !strings.HasPrefix(rest[end:], ") R") && !strings.HasPrefix(rest[end:], ") D") {
			continue
		}
		if name := rest[:end]; !slices.Contains(names, name) && len(names) < 5 {
			names = append(names, name)
		}
	}
	return names
}
