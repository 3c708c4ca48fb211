package host

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/doctor"
)

// settings returns the settings of this machine on which performance depends.
func settings() map[string]string { return settingsBelow(os.DirFS("/")) }

// files lists settings that are a file below /proc or /sys with one value. In a file with several
// values, such as "always [madvise] never", brackets mark the one that holds.
var files = map[string]string{
	"boost of the CPU":          "sys/devices/system/cpu/cpufreq/boost",
	"hyper-threading":           "sys/devices/system/cpu/smt/active",
	"clock":                     "sys/devices/system/clocksource/clocksource0/current_clocksource",
	"transparent huge pages":    "sys/kernel/mm/transparent_hugepage/enabled",
	"defragmentation of memory": "sys/kernel/mm/transparent_hugepage/defrag",
	"same-page merging":         "sys/kernel/mm/ksm/run",
	"vm.swappiness":             "proc/sys/vm/swappiness",
	"vm.overcommit_memory":      "proc/sys/vm/overcommit_memory",
	"vm.dirty_ratio":            "proc/sys/vm/dirty_ratio",
	"vm.dirty_background_ratio": "proc/sys/vm/dirty_background_ratio",
	"vm.dirty_bytes":            "proc/sys/vm/dirty_bytes",
	"vm.dirty_background_bytes": "proc/sys/vm/dirty_background_bytes",
	"vm.nr_hugepages":           "proc/sys/vm/nr_hugepages",
	"vm.zone_reclaim_mode":      "proc/sys/vm/zone_reclaim_mode",
	"kernel.numa_balancing":     "proc/sys/kernel/numa_balancing",
	"kernel.sched_autogroup":    "proc/sys/kernel/sched_autogroup_enabled",
	"net.core.somaxconn":        "proc/sys/net/core/somaxconn",
	"net.ipv4.tcp_congestion":   "proc/sys/net/ipv4/tcp_congestion_control",
	"model of the machine":      "sys/class/dmi/id/product_name",
	"vendor of the machine":     "sys/class/dmi/id/sys_vendor",
}

// lists are settings that several files have, such as one for each core; the value lists the different
// ones.
var lists = map[string]string{
	"governor of the CPU":          "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor",
	"energy preference of the CPU": "sys/devices/system/cpu/cpu[0-9]*/cpufreq/energy_performance_preference",
	"maximum kHz of the CPU":       "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_max_freq",
}

// settingsBelow reads the settings below a folder that has proc and sys. What cannot be read is
// missing.
func settingsBelow(root fs.FS) map[string]string {
	found := map[string]string{}
	add := func(name, value string) {
		if value != "" {
			found[name] = value
		}
	}
	for name, file := range files {
		add(name, one(root, file))
	}
	for name, pattern := range lists {
		matches, _ := fs.Glob(root, pattern)
		var values []string
		for _, file := range matches {
			if value := one(root, file); value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		slices.Sort(values)
		add(name, strings.Join(values, ", "))
	}
	if value := one(root, "sys/devices/system/cpu/intel_pstate/no_turbo"); value != "" {
		add("boost of the CPU", map[string]string{"0": "1", "1": "0"}[value])
	}
	if nodes, _ := fs.Glob(root, "sys/devices/system/node/node[0-9]*"); len(nodes) > 0 {
		add("NUMA nodes", strconv.Itoa(len(nodes)))
	}
	vulnerabilities, _ := fs.Glob(root, "sys/devices/system/cpu/vulnerabilities/*")
	for _, file := range vulnerabilities {
		if value := one(root, file); value != "Not affected" {
			add("mitigation of "+path.Base(file), value)
		}
	}
	disks, _ := fs.Glob(root, "sys/block/*")
	for _, folder := range disks {
		if _, err := fs.Stat(root, path.Join(folder, "device")); err != nil {
			continue
		}
		add("model of "+path.Base(folder), one(root, path.Join(folder, "device/model")))
		if gigabytes := doctor.Number(one(root, path.Join(folder, "size"))) * sector / 1e9; gigabytes >= 2 { // smaller ones hold no database
			add("size of "+path.Base(folder), fmt.Sprintf("%.0f GB", gigabytes))
		}
		add("scheduler of "+path.Base(folder), one(root, path.Join(folder, "queue/scheduler")))
		add("read-ahead of "+path.Base(folder), one(root, path.Join(folder, "queue/read_ahead_kb")))
	}
	networks, _ := fs.Glob(root, "sys/class/net/*")
	for _, folder := range networks {
		if megabits := doctor.Number(one(root, path.Join(folder, "speed"))); megabits > 0 { // -1 without a cable, and of virtual ones
			add("speed of "+path.Base(folder), fmt.Sprintf("%g Gbps", megabits/1000))
		}
	}
	for name, in := range map[string]struct{ file, field string }{
		"microcode of the CPU":  {"proc/cpuinfo", "microcode"},
		"cores of this process": {"proc/self/status", "Cpus_allowed_list"},
	} {
		add(name, field(root, in.file, in.field))
	}
	if cores := cgroupCores(root); cores > 0 {
		add("cores that control groups allow", strconv.FormatFloat(cores, 'g', 4, 64))
	}
	return found
}

// one returns the value of a file, or the one in brackets.
func one(root fs.FS, file string) string {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return ""
	}
	value := strings.TrimSpace(string(text))
	if _, after, found := strings.Cut(value, "["); found {
		if inside, _, found := strings.Cut(after, "]"); found {
			return inside
		}
	}
	return value
}
