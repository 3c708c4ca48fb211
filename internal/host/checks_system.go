package host

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

var limitChecks = []doctor.Check{
	{
		ID: "limit.files", On: doctor.Client, Severity: job.SeverityStop,
		Wanted: "200 more than the connections",
		Why:    "Each connection is an open file.",
		Mend:   "ulimit -n 65536, or LimitNOFILE= of the service",
		Source: fromHammerDB,
		Finds: func(f *doctor.Facts) string {
			limit, wanted := limitOf(f, "self", "Max open files"), 200+f.Connections()
			return doctor.If(limit < float64(wanted), "this process may open %.0f files, and needs %d", limit, wanted)
		},
	},
	{
		ID: "limit.server_files", On: doctor.ServerMachine, Severity: job.SeverityStop,
		Wanted: "twice the connections that the server allows",
		Why:    "Each connection is an open file of the server, and its tables are others.",
		Mend:   "LimitNOFILE=65536 in the service of the server",
		Source: fromHammerDB,
		Finds: func(f *doctor.Facts) string {
			if f.Load(); !f.Tells("place", "connections") {
				return f.Unconcerned() // each of its connections has a process with a limit of its own
			}
			limit, most := limitOf(f, serverPID(f), "Max open files"), f.Count("place", "connections")
			return doctor.If(limit < 2*most, "the server may open %.0f files, and allows %.0f connections", limit, most)
		},
	},
	{
		ID: "limit.procs", On: doctor.ServerMachine, Severity: job.SeverityStop,
		Wanted: "1.2 processes or threads for each connection",
		Why:    "Most servers have a process or a thread for each connection.",
		Mend:   "sysctl kernel.pid_max=4194304 kernel.threads-max=4194304",
		Source: fromPractice,
		Finds: func(f *doctor.Facts) string {
			wanted := 1.2 * float64(f.Connections())
			for _, name := range []string{"pid_max", "threads-max"} {
				if n := f.Number("proc/sys/kernel/" + name); n < wanted {
					return fmt.Sprintf("kernel.%s is %.0f for %d connections", name, n, f.Connections())
				}
			}
			return ""
		},
	},
}

// limitOf returns the soft limit of a process, in a file such as "Max open files  1024  4096  files".
func limitOf(f *doctor.Facts, pid, name string) float64 {
	for line := range strings.Lines(f.File("proc/" + pid + "/limits")) {
		rest, is := strings.CutPrefix(line, name)
		if fields := strings.Fields(rest); is && len(fields) > 0 {
			if fields[0] == "unlimited" {
				return 1e18
			}
			return doctor.Number(fields[0])
		}
	}
	f.Missing("the limits of process " + pid + " have no " + name)
	return 0
}

var clockChecks = []doctor.Check{
	{
		ID: "time.source", On: doctor.Client, Severity: job.SeverityHigh,
		Wanted: "tsc, kvm-clock, a Hyper-V clock or arch_sys_counter",
		Why:    "Other sources need a system call or a device for each reading, in the client and in servers that time what they do.",
		Mend:   "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, if available_clocksource lists it",
		Source: fromKernel + ": timekeeping",
		Finds: func(f *doctor.Facts) string {
			source := f.File("sys/devices/system/clocksource/clocksource0/current_clocksource")
			good := slices.Contains([]string{"tsc", "kvm-clock", "arch_sys_counter", ""}, source) || strings.HasPrefix(source, "hyperv_clocksource")
			return doctor.If(!good, "the clock is %s", source)
		},
	},
	{
		ID: "time.cost", On: doctor.Client, Severity: job.SeverityMedium,
		Wanted: "at most 100 ns",
		Why:    "Each transaction reads the clock several times.",
		Mend:   "See time.source",
		Source: "PostgreSQL manual, pg_test_timing",
		Finds: func(f *doctor.Facts) string {
			cost := f.Machine().Clock()
			return doctor.If(cost > 100, "a reading of the clock takes %.0f ns", cost)
		},
	},
	{
		ID: "time.sync", On: doctor.Client, Severity: job.SeverityMedium,
		Wanted: "synchronised",
		Why:    "What two machines record cannot be laid on one axis if their clocks differ.",
		Mend:   "Start chronyd or systemd-timesyncd",
		Source: "adjtimex(2)",
		Finds: func(f *doctor.Facts) string {
			if f.Load(); f.Local() {
				return f.Unconcerned()
			}
			synced, err := f.Machine().Synced()
			if err != nil {
				return f.Missing(err.Error())
			}
			return doctor.If(!synced, "the clock of this machine is not synchronised")
		},
	},
}

// burstable are instance types of Amazon's cloud whose cores run on credits.
var burstable = regexp.MustCompile(`^t[234][a-z]*\.`)

var systemChecks = []doctor.Check{
	{
		ID: "os.autogroup", On: doctor.ServerMachine, Severity: job.SeverityNote,
		Wanted: "0, or a server that a service manager started",
		Why:    "All processes of a terminal share the CPU like one process, so a server in a terminal gets no more than the client.",
		Mend:   "sysctl kernel.sched_autogroup_enabled=0",
		Source: fromTuned + "; sched(7)",
		Finds: func(f *doctor.Facts) string {
			f.File("proc/meminfo") // the machine is readable
			if !is(f, "proc/sys/kernel/sched_autogroup_enabled", "1") {
				return ""
			}
			text := f.File("proc/" + serverPID(f) + "/stat")
			fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // from the state on
			return doctor.If(len(fields) > 4 && fields[4] != "0", "kernel.sched_autogroup_enabled is 1, and the server has a terminal")
		},
	},
	{
		ID: "os.virtual", On: doctor.Client, Severity: job.SeverityHigh,
		Wanted: "an instance with cores of its own",
		Why:    "An instance on credits is slow when they are used up, in the middle of a run.",
		Mend:   "Use another instance type, or unlimited credits",
		Source: "Amazon EC2 manual, burstable performance instances",
		Finds: func(f *doctor.Facts) string {
			f.File("proc/self/status") // the machine is readable
			model, _ := f.Optional("sys/class/dmi/id/product_name")
			return doctor.If(burstable.MatchString(model), "this machine is a %s, which works on CPU credits", model)
		},
	},
	{
		ID: "os.psi", On: doctor.Client, Severity: job.SeverityNote,
		Wanted: "pressure stall information",
		Why:    "Without it, a result shows less about what was saturated.",
		Mend:   "Boot with psi=1",
		Source: fromKernel + ": PSI",
		Finds: func(f *doctor.Facts) string {
			f.File("proc/self/status") // the machine is readable
			return doctor.If(!f.Has("proc/pressure/cpu"), "the kernel does not report it")
		},
	},
	{
		ID: "client.ceiling", On: doctor.Client, Severity: job.SeverityHigh,
		Wanted: "at most 70 % of what sledge ceiling measured",
		Why:    "Near its ceiling, the client limits a run, and its waits are in the response times.",
		Mend:   "Run Sledge on a machine with more cores, or give a lower rate",
		Source: "sledge ceiling, on this machine",
		Finds: func(f *doctor.Facts) string {
			m, l := f.Machine(), f.Load()
			switch {
			case !l.HasCeiling || m.Repository == "": // a run looks at the repository at its end
				return f.Unconcerned()
			case m.Ceiling == 0:
				return f.Missing("the repository has no ceiling of this machine for this database: sledge ceiling measures it")
			case l.Rate > 0:
				share := 100 * l.Rate / m.Ceiling
				return doctor.If(share > job.MostOfCeiling, "the rate is %.0f %% of the ceiling of %.0f transactions/s", share, m.Ceiling)
			}
			return doctor.If(m.Reached > job.MostOfCeiling, "the last run reached %.0f %% of the ceiling of %.0f transactions/s", m.Reached, m.Ceiling)
		},
	},
	{
		ID: "client.gomaxprocs", On: doctor.Client, Severity: job.SeverityNote,
		Wanted: "no GOMAXPROCS, which lets Sledge follow the limit",
		Why:    "More threads than cores make a control group use up its quota early.",
		Mend:   "unset GOMAXPROCS",
		Source: "Go 1.25 release notes, container-aware GOMAXPROCS",
		Finds: func(f *doctor.Facts) string {
			f.File("proc/self/status") // the machine is readable
			limit := cgroupCores(f.Machine().Root)
			return doctor.If(limit > 0 && float64(f.Machine().MaxProcs) > max(2, limit+1), "GOMAXPROCS is %d, and control groups allow %s cores",
				f.Machine().MaxProcs, strconv.FormatFloat(limit, 'g', 3, 64))
		},
	},
}
