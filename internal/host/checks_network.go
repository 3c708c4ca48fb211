package host

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

var networkChecks = []doctor.Check{
	{
		ID: "net.link", On: doctor.Client, Severity: job.SeverityMedium,
		Wanted: "at least 1 Gbit/s, full duplex",
		Why:    "With statements from the client a transaction takes tens of kilobytes, so a slow link limits the run.",
		Mend:   "Use another interface, or check cable and switch (ethtool)",
		Source: fromHammerDB,
		Finds: func(f *doctor.Facts) string {
			if f.Load(); f.Local() {
				return f.Unconcerned()
			}
			known := false
			for name, speed := range links(f) {
				known = true
				duplex, _ := f.Optional("sys/class/net/" + name + "/duplex")
				if speed < 1000 || duplex == "half" {
					return fmt.Sprintf("%s has %.0f Mbit/s, %s duplex", name, speed, duplex)
				}
			}
			if !known {
				return f.Missing("no interface shows its speed, as in a virtual machine")
			}
			return ""
		},
	},
	{
		ID: "net.rtt", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "at most 1 ms",
		Why:    "With statements from the client a transaction costs 20 to 60 round trips.",
		Mend:   "Move the client nearer to the server, or use stored routines",
		Source: fromPractice,
		Finds: func(f *doctor.Facts) string {
			half, most := f.Count("roundtrip", "median"), f.Count("roundtrip", "most")
			if most > 5*half && most > 1e-3 {
				f.Severity = job.SeverityMedium
				return fmt.Sprintf("half of the round trips take at most %.3g ms, the longest %.3g ms", 1000*half, 1000*most)
			}
			return doctor.If(half > 1e-3, "a round trip takes %.3g ms", 1000*half)
		},
	},
	{
		ID: "net.ports", On: doctor.Client, Severity: job.SeverityStop,
		Wanted: "1.2 ports for each connection",
		Why:    "Each connection to one address takes a port of the client, and ports of closed connections wait for a minute.",
		Mend:   "sysctl net.ipv4.ip_local_port_range='9000 65500', or use fewer connections (option connections)",
		Source: fromHammerDB,
		Finds: func(f *doctor.Facts) string {
			if !f.Load().TCP {
				return f.Unconcerned()
			}
			bounds := strings.Fields(f.File("proc/sys/net/ipv4/ip_local_port_range"))
			if len(bounds) != 2 {
				return f.Missing("the range of local ports is not known")
			}
			ports, wanted := doctor.Number(bounds[1])-doctor.Number(bounds[0])+1, float64(f.Load().Connections)
			f.Wanted = fmt.Sprintf("at least %.0f ports", 1.2*wanted)
			return doctor.If(ports < 1.2*wanted, "%.0f local ports for %.0f connections", ports, wanted)
		},
	},
	{
		ID: "net.conntrack", On: doctor.Client, Severity: job.SeverityHigh,
		Wanted: "room for twice the connections, and at most 80 % in use",
		Why:    "If the table of tracked connections is full, the kernel drops packets.",
		Mend:   "sysctl net.netfilter.nf_conntrack_max=262144, or exempt the server's port from tracking",
		Source: fromKernel + ": networking/nf_conntrack-sysctl",
		Finds: func(f *doctor.Facts) string {
			f.File("proc/sys/net/core/somaxconn") // the machine is readable
			if !f.Has("proc/sys/net/netfilter/nf_conntrack_max") {
				return f.Unconcerned()
			}
			used, most := f.Number("proc/sys/net/netfilter/nf_conntrack_count"), f.Number("proc/sys/net/netfilter/nf_conntrack_max")
			return doctor.If(used > 0.8*most || most < 2*float64(f.Connections()), "%.0f of %.0f tracked connections are in use", used, most)
		},
	},
	{
		ID: "net.backlog", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "at least the number of connections that open at once",
		Why:    "If the queue of new connections is full, clients wait seconds for another try.",
		Mend:   "sysctl net.core.somaxconn=4096 net.ipv4.tcp_max_syn_backlog=4096",
		Source: fromTuned,
		Finds: func(f *doctor.Facts) string {
			if !f.Load().TCP {
				return f.Unconcerned()
			}
			const atOnce = 64 // a run opens so many at a time
			wanted := float64(min(f.Load().Connections, atOnce))
			for _, name := range []string{"core/somaxconn", "ipv4/tcp_max_syn_backlog"} {
				if n := f.Number("proc/sys/net/" + name); n < wanted {
					return fmt.Sprintf("net.%s is %.0f for %.0f connections at once", strings.ReplaceAll(name, "/", "."), n, wanted)
				}
			}
			return ""
		},
	},
	{
		ID: "net.buffers", On: doctor.Client, Severity: job.SeverityNote,
		Wanted: "net.core.rmem_max 4 MiB and net.core.wmem_max 1 MiB, with 10 Gbit/s",
		Why:    "Small socket buffers do not fill a fast link.",
		Mend:   "sysctl net.core.rmem_max=4194304 net.core.wmem_max=1048576",
		Source: fromHammerDB,
		Finds: func(f *doctor.Facts) string {
			if f.Load(); f.Local() {
				return f.Unconcerned()
			}
			in, out := f.Number("proc/sys/net/core/rmem_max"), f.Number("proc/sys/net/core/wmem_max")
			for name, speed := range links(f) {
				if speed >= 10_000 && (in < 4<<20 || out < 1<<20) {
					return fmt.Sprintf("%s has %.0f Mbit/s, net.core.rmem_max is %s, net.core.wmem_max %s", name, speed, doctor.Bytes(in), doctor.Bytes(out))
				}
			}
			return ""
		},
	},
}

// links returns the speeds in Mbit/s of the interfaces that are up and show it.
func links(f *doctor.Facts) map[string]float64 {
	found := map[string]float64{}
	f.File("proc/sys/net/core/somaxconn") // the machine is readable
	if f.Machine().Root == nil {
		return found
	}
	files, _ := fs.Glob(f.Machine().Root, "sys/class/net/*/speed")
	for _, file := range files {
		name := path.Base(path.Dir(file))
		text, has := f.Optional(file)
		if speed, err := strconv.ParseFloat(text, 64); has && err == nil && speed > 0 && is(f, "sys/class/net/"+name+"/operstate", "up") {
			found[name] = speed
		}
	}
	return found
}
