package host

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

// tuned has the files of a machine in which no check finds anything.
var tuned = map[string]string{
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
	"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
	"sys/devices/system/cpu/cpu0/cpuidle/state0/latency":   "1\n", "sys/devices/system/cpu/cpu0/cpuidle/state0/name": "POLL\n",
	"sys/devices/system/cpu/cpu0/cpuidle/state1/latency": "133\n", "sys/devices/system/cpu/cpu0/cpuidle/state1/name": "C6\n", "sys/devices/system/cpu/cpu0/cpuidle/state1/disable": "1\n",
	"sys/devices/system/cpu/online": "0-7\n",
	"proc/self/cgroup":              "0::/\n", "proc/self/stat": "9 (sledge) R 1 9 9 0\n", "proc/self/status": "Cpus_allowed_list:\t0-7\n",
	"proc/self/limits": "Limit  Soft Limit  Hard Limit  Units\nMax open files            65536                65536                files     \n",
	"proc/stat":        "cpu  100 0 100 9000 0 0 0 10 0 0\n",
	"proc/softirqs":    "   CPU0 CPU1\n  NET_RX: 10 10\n",
	"proc/loadavg":     "0.10 0.10 0.10 1/100 1\n", "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
	"proc/meminfo": "MemTotal: 67108864 kB\nMemAvailable: 60000000 kB\nSwapTotal: 1048576 kB\nHugePages_Total: 8192\nHugePages_Free: 100\n",
	"proc/vmstat":  "pswpin 5\npswpout 7\n",
	hugePage:       "always [madvise] never\n", "sys/kernel/mm/ksm/run": "0\n", "sys/module/zswap/parameters/enabled": "N\n",
	"proc/sys/vm/swappiness": "10\n", "proc/sys/vm/dirty_background_bytes": "67108864\n", "proc/sys/vm/dirty_background_ratio": "0\n", "proc/sys/vm/zone_reclaim_mode": "0\n",
	"proc/sys/kernel/numa_balancing": "0\n", "sys/devices/system/node/node0/cpulist": "0-3\n", "sys/devices/system/node/node1/cpulist": "4-7\n",
	"proc/self/mountinfo":        "27 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n28 27 8:17 / /data rw,noatime - xfs /dev/sdb1 rw\n29 27 8:33 / /log rw,noatime - ext4 /dev/sdc1 rw\n",
	"sys/dev/block/8:17/uevent":  "MAJOR=8\nDEVNAME=sdb1\n",
	"sys/dev/block/8:33/uevent":  "MAJOR=8\nDEVNAME=sdc1\n",
	"sys/block/sdb/device/model": "disk\n", "sys/block/sdb/sdb1/partition": "1\n", "sys/block/sdb/queue/scheduler": "[none] mq-deadline\n", "sys/block/sdb/queue/rotational": "0\n", "sys/block/sdb/queue/read_ahead_kb": "4096\n", "sys/block/sdb/queue/write_cache": "write through\n",
	"sys/block/sdc/device/model": "disk\n", "sys/block/sdc/sdc1/partition": "1\n", "sys/block/sdc/queue/scheduler": "[none] mq-deadline\n", "sys/block/sdc/queue/rotational": "0\n", "sys/block/sdc/queue/read_ahead_kb": "4096\n", "sys/block/sdc/queue/write_cache": "write through\n",
	"proc/sys/net/ipv4/ip_local_port_range": "9000\t65500\n", "proc/sys/net/core/somaxconn": "4096\n", "proc/sys/net/ipv4/tcp_max_syn_backlog": "4096\n",
	"proc/sys/net/core/rmem_max": "4194304\n", "proc/sys/net/core/wmem_max": "4194304\n",
	"proc/sys/net/netfilter/nf_conntrack_max": "262144\n", "proc/sys/net/netfilter/nf_conntrack_count": "10\n",
	"sys/class/net/eth0/speed": "10000\n", "sys/class/net/eth0/duplex": "full\n", "sys/class/net/eth0/operstate": "up\n",
	"proc/sys/kernel/pid_max": "4194304\n", "proc/sys/kernel/threads-max": "500000\n",
	"proc/77/limits": "Max open files            65536                65536                files     \n", "proc/77/stat": "77 (mariadbd) S 1 77 77 34816 -1\n",
	"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
	"proc/sys/kernel/sched_autogroup_enabled":                         "0\n",
	"sys/class/dmi/id/product_name":                                   "m7i.large\n",
}

// changing is a folder of files, some of which change after its creation.
type changing struct {
	fs.FS
	later map[string]string
	began time.Time
}

func (c changing) ReadFile(name string) ([]byte, error) {
	if text, changes := c.later[name]; changes && time.Since(c.began) > 0 {
		return []byte(text), nil
	}
	return fs.ReadFile(c.FS, name)
}

// fault is what is planted in a tuned machine, and the check that must find it.
type fault struct {
	id    string
	files map[string]string // contents; "-" removes the file
	later map[string]string // contents at the second reading
	plant func(s *doctor.Subject)
	says  string // part of the value
}

var faults = []fault{
	{id: "cpu.governor", files: map[string]string{"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave"}, says: "powersave"},
	{id: "cpu.governor", files: map[string]string{
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":              "powersave",
		"sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference": "balance_power",
	}, says: "balance_power"},
	{id: "cpu.speed", plant: func(s *doctor.Subject) {
		times := []float64{0.5, 0.5, 0.6}
		s.Client.Speed = func() float64 { times = append(times[1:], times[0]); return times[2] }
	}, says: "20 %"},
	{id: "cpu.idle", files: map[string]string{"sys/devices/system/cpu/cpu0/cpuidle/state1/disable": "0"}, says: "C6 takes 133"},
	{id: "cpu.throttled", later: map[string]string{"sys/fs/cgroup/cpu.stat": "throttled_usec 5000000\n"}, says: "0.50 s a second"},
	{id: "cpu.steal", later: map[string]string{"proc/stat": "cpu  200 0 100 9400 0 0 0 60 0 0\n"}, says: "9.1 %"},
	{id: "cpu.shared", plant: func(s *doctor.Subject) { s.Load.Embedded = false }, says: "share one machine"},
	{id: "cpu.limit", files: map[string]string{"proc/self/status": "Cpus_allowed_list:\t0-1\n"}, says: "2 of 8"},
	{id: "cpu.limit", files: map[string]string{"sys/fs/cgroup/cpu.max": "250000 100000"}, plant: func(s *doctor.Subject) { s.Client.MaxProcs = 3 }, says: "2.5 of 8"},
	{id: "cpu.irq", later: map[string]string{"proc/softirqs": "  NET_RX: 900010 100010\n"}, says: "90 %"},
	{id: "load.before", files: map[string]string{"proc/loadavg": "4.00 1 1 1/1 1", "proc/12/stat": "12 (a busy one) R 1 1"}, says: "running now: a busy one"},
	{id: "load.before", files: map[string]string{"proc/pressure/cpu": "some avg10=23.00 avg60=0 avg300=0 total=1"}, says: "23 %"},
	{id: "mem.thp", files: map[string]string{hugePage: "[always] madvise never"}},
	{id: "mem.huge", files: map[string]string{"proc/meminfo": strings.ReplaceAll(tuned["proc/meminfo"], "8192", "0")}, says: "16 GiB"},
	{id: "mem.huge", files: map[string]string{"proc/meminfo": strings.ReplaceAll(tuned["proc/meminfo"], "100\n", "8192\n")}, says: "none is used"},
	{id: "mem.swappiness", files: map[string]string{"proc/sys/vm/swappiness": "60"}},
	{id: "mem.swapping", later: map[string]string{"proc/vmstat": "pswpin 5\npswpout 107\n"}, says: "10 out"},
	{id: "mem.fits", plant: func(s *doctor.Subject) { s.Server["place"].Values["each"] = "1073741824" }, says: "116 GiB of 64 GiB"},
	{id: "mem.dirty", files: map[string]string{"proc/sys/vm/dirty_background_bytes": "0", "proc/sys/vm/dirty_background_ratio": "10"}, says: "10 % of 64 GiB"},
	{id: "mem.numa", files: map[string]string{"proc/sys/kernel/numa_balancing": "1"}, says: "2 nodes"},
	{id: "mem.numa", files: map[string]string{"proc/sys/vm/zone_reclaim_mode": "1"}},
	{id: "mem.zswap", files: map[string]string{"sys/module/zswap/parameters/enabled": "Y"}},
	{id: "mem.ksm", files: map[string]string{"sys/kernel/mm/ksm/run": "1"}},
	{id: "disk.scheduler", files: map[string]string{"sys/block/sdc/queue/scheduler": "none [bfq]"}, says: "sdc is an SSD and has the scheduler bfq"},
	{id: "disk.readahead", files: map[string]string{"sys/block/sdb/queue/read_ahead_kb": "16384"}, says: "sdb reads 16384"},
	{id: "disk.space", plant: func(s *doctor.Subject) {
		s.Client.Space = func(string) (uint64, uint64, error) { return 1 << 30, 100 << 30, nil }
	}, says: "/jobs has 1.0 GiB free of 100 GiB"},
	{id: "disk.fs", files: map[string]string{"proc/self/mountinfo": strings.ReplaceAll(tuned["proc/self/mountinfo"], "xfs", "overlay")}, says: "container"},
	{id: "disk.fs", files: map[string]string{"proc/self/mountinfo": strings.ReplaceAll(tuned["proc/self/mountinfo"], "sdc1 rw", "sdc1 rw,data=journal")}, says: "data=journal"},
	{id: "disk.shared", plant: func(s *doctor.Subject) { s.Server["paths"].Values["log"] = "/data/log" }, says: "one of 2 disks"},
	{id: "disk.fsync", plant: func(s *doctor.Subject) {
		s.Client.Flush = func(string) ([]float64, error) { return []float64{0.001, 0.005, 0.009}, nil }
	}, says: "5 ms"},
	{id: "disk.fsync", plant: func(s *doctor.Subject) {
		s.Client.Flush = func(string) ([]float64, error) { return []float64{3e-6}, nil }
	}, says: "cached"},
	{id: "disk.cache", files: map[string]string{"sys/block/sdb/queue/write_cache": "write back"}},
	{id: "net.link", files: map[string]string{"sys/class/net/eth0/speed": "100"}, plant: far, says: "100 Mbit/s"},
	{id: "net.rtt", plant: func(s *doctor.Subject) { s.Server["roundtrip"].Values["median"] = "0.0012" }, says: "1.2 ms"},
	{id: "net.ports", files: map[string]string{"proc/sys/net/ipv4/ip_local_port_range": "60000 60099"}, says: "100 local ports for 100"},
	{id: "net.conntrack", files: map[string]string{"proc/sys/net/netfilter/nf_conntrack_count": "250000"}},
	{id: "net.backlog", files: map[string]string{"proc/sys/net/core/somaxconn": "16"}, says: "net.core.somaxconn is 16"},
	{id: "net.buffers", files: map[string]string{"proc/sys/net/core/rmem_max": "212992"}, plant: far},
	{id: "limit.files", files: map[string]string{"proc/self/limits": "Max open files            256                65536                files     \n"}, says: "256 files, and needs 300"},
	{id: "limit.server_files", files: map[string]string{"proc/77/limits": "Max open files            300                 65536                files     \n"}, says: "300 files"},
	{id: "limit.procs", files: map[string]string{"proc/sys/kernel/threads-max": "100"}, says: "threads-max"},
	{id: "time.source", files: map[string]string{"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet"}, says: "hpet"},
	{id: "time.cost", plant: func(s *doctor.Subject) { s.Client.Clock = func() float64 { return 1200 } }, says: "1200 ns"},
	{id: "time.sync", plant: func(s *doctor.Subject) {
		far(s)
		s.Client.Synced = func() (bool, error) { return false, nil }
	}},
	{id: "os.autogroup", files: map[string]string{"proc/sys/kernel/sched_autogroup_enabled": "1"}, says: "terminal"},
	{id: "os.virtual", files: map[string]string{"sys/class/dmi/id/product_name": "t3.medium"}, says: "t3.medium"},
	{id: "os.psi", files: map[string]string{"proc/pressure/cpu": "-"}},
	{id: "client.ceiling", plant: func(s *doctor.Subject) { s.Load.HasCeiling, s.Load.Rate, s.Client.Ceiling = true, 750, 1000 }, says: "75 %"},
	{id: "client.ceiling", plant: func(s *doctor.Subject) { s.Load.HasCeiling, s.Client.Reached, s.Client.Ceiling = true, 82, 1000 }, says: "82 %"},
	{id: "client.gomaxprocs", files: map[string]string{"sys/fs/cgroup/cpu.max": "800000 100000"}, plant: func(s *doctor.Subject) { s.Client.MaxProcs = 32 }, says: "32"},
}

// far moves the server to another machine.
func far(s *doctor.Subject) { s.Host, s.Elsewhere = nil, "it is another machine" }

// examine makes all checks of a machine in which a fault is planted.
func examine(t *testing.T, f fault) job.Doctor {
	files := maps.Clone(tuned)
	maps.Copy(files, f.files)
	root := fstest.MapFS{}
	for name, text := range files {
		if text != "-" {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	s := &doctor.Subject{
		Client: doctor.Machine{
			Root: changing{root, f.later, time.Now()}, Cores: 8, MaxProcs: 8, Repository: "/jobs", Folder: "/jobs",
			Space: func(string) (uint64, uint64, error) { return 90 << 30, 100 << 30, nil },
			Clock: func() float64 { return 25 }, Speed: func() float64 { return 0.5 },
			Flush:  func(string) ([]float64, error) { return []float64{0.0002}, nil },
			Synced: func() (bool, error) { return true, nil },
		},
		Load: &doctor.Planned{Users: 100, Connections: 100, TCP: true, Embedded: true, RampUp: time.Hour, Duration: time.Hour},
		Server: doctor.Readings{
			"place":     {Values: map[string]string{"memory": "17179869184", "each": "1048576", "connections": "200", "pid": "77"}},
			"paths":     {Values: map[string]string{"data": "/data", "log": "/log"}},
			"roundtrip": {Values: map[string]string{"median": "0.0001", "most": "0.0004"}},
		},
		Target: "Sledge's test",
	}
	s.Host = &s.Client
	if f.plant != nil {
		f.plant(s)
	}
	return doctor.Examine(t.Context(), s, Checks, doctor.Options{Watch: 10 * time.Second, Slow: true, Disk: true})
}

func TestChecks_FindEachPlantedFaultAndNoOther(t *testing.T) {
	covered := map[string]bool{}
	for _, f := range append([]fault{{}}, faults...) {
		synctest.Test(t, func(t *testing.T) {
			covered[f.id] = true
			var ids []string
			found := examine(t, f)
			for _, a := range found.Findings {
				ids = append(ids, a.ID)
				if !strings.Contains(a.Value, f.says) {
					t.Errorf("%s: got %q, want %q in it", a.ID, a.Value, f.says)
				}
			}
			if want := strings.Fields(f.id); !slices.Equal(ids, want) {
				t.Errorf("planted %v, found %v", want, found.Findings)
			}
			for _, u := range found.Unchecked {
				if !strings.Contains(u.Why, "another machine") {
					t.Errorf("planted %q: not checked: %+v", f.id, u)
				}
			}
		})
	}
	for _, c := range Checks {
		if !covered[c.ID] {
			t.Errorf("no fault is planted for %s", c.ID)
		}
	}
}

// A machine whose files cannot be read passes no check silently.
func TestChecks_AreUncheckedWithoutFiles(t *testing.T) {
	readable := []string{"cpu.speed", "cpu.shared", "disk.space", "disk.fsync", "net.rtt", "time.cost"}
	for _, root := range []fs.FS{nil, fstest.MapFS{}} {
		s := &doctor.Subject{
			Client: doctor.Machine{
				Root: root, Cores: 8, Clock: func() float64 { return 25 }, Speed: func() float64 { return 0.5 },
				Space: func(string) (uint64, uint64, error) { return 0, 0, errors.New("no") }, Flush: func(string) ([]float64, error) { return nil, errors.New("no") },
				Synced: func() (bool, error) { return false, errors.New("no") },
			},
			Load: &doctor.Planned{Users: 1, Connections: 1, TCP: true}, Elsewhere: "far", Server: doctor.Readings{},
		}
		found := doctor.Examine(t.Context(), s, Checks, doctor.Options{Watch: time.Millisecond, Slow: true, Disk: true})
		if found.Checks > len(readable) || len(found.Findings) > 0 || found.Checks+len(found.Unchecked) < len(Checks)-5 {
			t.Errorf("%v: got %d checks made, %d left out of %d, and %v", root, found.Checks, len(found.Unchecked), len(Checks), found.Findings)
		}
	}
}

// The manual and --only name checks by their IDs.
func TestChecks_HaveTextsAndIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Checks {
		if seen[c.ID] || c.Group() == c.ID || c.Finds == nil {
			t.Errorf("%q: got no ID of its own with a group, or no function", c.ID)
		}
		seen[c.ID] = true
		for _, text := range []string{c.Wanted, c.Why, c.Mend, c.Source} {
			if text == "" {
				t.Errorf("%s lacks a text", c.ID)
			}
		}
		if !slices.Contains(job.Severities, c.Severity) || !strings.HasSuffix(c.Why, ".") {
			t.Errorf("%s: got the severity %q and the reason %q", c.ID, c.Severity, c.Why)
		}
	}
}
