package lines

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
)

// MetricInterval is the time between two of HammerDB's lines about a machine.
const MetricInterval = 10 * time.Second

// Use adds up how a machine was used, for HammerDB's figures. The zero value is empty.
type Use struct {
	moments                    int // at which the processors were sampled
	user, system, irq, neither float64
	disks                      bool // whether a disk was sampled
	requests, megabytes        float64
}

// Add adds a sample. Series that HammerDB does not show are ignored.
func (u *Use) Add(s job.Series, value float64) {
	switch s.Name {
	case "CPU":
		switch s.Labels["mode"] {
		case "user":
			u.moments++
			u.user += value
		case "system":
			u.system += value
		case "interrupts":
			u.irq += value
		default:
			u.neither += value
		}
	case "disk requests":
		if kind := s.Labels["kind"]; kind == "reads" || kind == "writes" {
			u.disks, u.requests = true, u.requests+value
		}
	case "disk throughput":
		u.megabytes += value
	}
}

// Mean returns the arithmetic means of the samples. HammerDB's are geometric, so that one sample of 0
// makes the figure 0. A machine without disks has no figures of them. It returns false if the
// processors were not sampled.
func (u *Use) Mean(at time.Time) (job.SystemMetric, bool) {
	if u.moments == 0 {
		return job.SystemMetric{}, false
	}
	mean := func(sum float64) *float64 { return new(sum / float64(u.moments)) }
	m := job.SystemMetric{At: at, User: mean(u.user), Sys: mean(u.system), IRQ: mean(u.irq)}
	m.Idle = new(max(0, 100-*m.User-*m.Sys-*m.IRQ-*mean(u.neither)))
	if u.disks {
		m.IOPS, m.MBps = mean(u.requests), mean(u.megabytes*1e6/(1<<20)) // HammerDB's MB are 2^20 bytes
	}
	return m, true
}

// Processors returns HammerDB's line of the metrics. Up to version 5, and without disks, it has no
// figures of disks.
func Processors(m job.SystemMetric) string {
	line := fmt.Sprintf("CPU all usr%%-%.2f sys%%-%.2f irq%%-%.2f idle%%-%.2f", *m.User, *m.Sys, *m.IRQ, *m.Idle)
	if m.IOPS != nil {
		line += fmt.Sprintf(" IOPS-%.0f MB/s-%.2f", *m.IOPS, *m.MBps)
	}
	return line
}

// Discovered returns HammerDB's lines about a machine whose metrics have started.
func Discovered(h job.Host) []string {
	facts := SystemFacts(h)
	of := func(name string) string { return cmp.Or(facts[name], "unknown") }
	return []string{
		fmt.Sprintf("System Discovery: %s | OS: %s | Memory: %s", strings.TrimSpace(facts["system_vendor"]+" "+facts["system_type"]), of("os_name"), of("memory")),
		fmt.Sprintf("Started CPU Metrics for %s:(%s CPUs)", cmp.Or(facts["cpumodel"], "an unknown CPU"), of("cpucount")),
	}
}

// SystemFacts returns the facts of a machine by HammerDB's names. Unknown facts are missing. The
// machine is never asked over the network, so only clouds that the firmware names are known.
func SystemFacts(h job.Host) map[string]string {
	vendor, model := h.Settings["vendor of the machine"], h.Settings["model of the machine"]
	facts := map[string]string{
		"hostname": h.Name, "cpumodel": h.CPU, "system_vendor": vendor, "system_type": cmp.Or(model, h.Arch),
		"os_name": h.OS,
	}
	if h.CPUs > 0 {
		facts["cpucount"] = strconv.Itoa(h.CPUs)
	}
	if h.MemoryBytes > 0 {
		facts["memory"] = humanize.IBytes(h.MemoryBytes)
	}
	switch vendor {
	case "Amazon EC2":
		facts["cloud_instance"] = "AWS " + model
	case "Google":
		facts["cloud_instance"] = "GCP"
	}
	var networks, disks []string
	for _, name := range slices.Sorted(maps.Keys(h.Settings)) {
		if card, is := strings.CutPrefix(name, "speed of "); is {
			networks = append(networks, fmt.Sprintf("%s (%s)", card, h.Settings[name]))
		}
		if disk, is := strings.CutPrefix(name, "size of "); is {
			disks = append(disks, fmt.Sprintf("%s (%s)", cmp.Or(h.Settings["model of "+disk], disk), h.Settings[name]))
		}
	}
	facts["nic"], facts["storage"] = strings.Join(networks, "; "), strings.Join(disks, "; ")
	return facts
}
