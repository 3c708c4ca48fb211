package host

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sledge/internal/job"
)

// root returns a folder with files below proc and sys.
func root(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("1", filepath.Join(dir, "proc/self")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFigures_AreThoseOfTheKernel(t *testing.T) {
	before := map[string]string{
		"proc/stat": "cpu  1000 0 500 8000 100 10 20 30 0 0\ncpu0 1000 0 500 8000 100 10 20 30 0 0\nintr 1\nctxt 5000\nbtime 1\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "1000000\n", "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq": "<unknown>\n",
		"proc/schedstat":        "version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 1000 2000000000 5\ncpu1 0 0 0 0 0 0 1000 1000000000 5\n",
		"proc/meminfo":          "MemTotal:       1048576 kB\nMemFree:        1000 kB\nMemAvailable:    524288 kB\nCached:          102400 kB\nDirty:             1024 kB\nWriteback:            0 kB\n",
		"proc/vmstat":           "nr_free_pages 9\npgmajfault 10\npswpin 0\npswpout 0\n",
		"proc/diskstats":        "   8       0 sda 100 0 2000 1000 200 0 4000 400 0 5000 6000 0 0 0 0 10 50\n   8       1 sda1 100 0 2000 1000 200 0 4000 400 0 5000 6000\n 253       0 dm-0 1 0 2 3 4 0 5 6 0 7 8\n",
		"sys/block/sda/device":  "",
		"proc/net/dev":          "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n  eth0: 1000000 10 0 1 0 0 0 0 2000000 20 0 0 0 0 0 0\n  idle: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		"proc/pressure/cpu":     "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"proc/1/cgroup":         "0::/a\n",
		"sys/fs/cgroup/cpu.max": "max 100000\n", "sys/fs/cgroup/a/cpu.max": "150000 100000\n",
		"sys/fs/cgroup/a/cpu.stat": "usage_usec 1000000\nthrottled_usec 500000\n",
		"proc/1/net/snmp":          "Tcp: RtoAlgorithm RetransSegs\nTcp: 1 5\n",
		"proc/1/net/netstat":       "TcpExt: ListenOverflows TCPBacklogDrop\nTcpExt: 1 0\n",
	}
	after := maps.Clone(before)
	maps.Copy(after, map[string]string{
		"proc/stat": "cpu  1100 0 540 8040 110 12 21 37 0 0\ncpu0 1100 0 540 8040 110 12 21 37 0 0\nintr 1\nctxt 5300\nbtime 1\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "2400000\n", "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq": "3600000\n",
		"proc/schedstat":           "version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 1000 5000000000 5\ncpu1 0 0 0 0 0 0 1000 2000000000 5\n",
		"proc/vmstat":              "pgmajfault 30\npswpin 0\npswpout 4\n",
		"proc/diskstats":           "   8       0 sda 150 0 6000 1250 600 0 12000 2000 0 6000 9000 0 0 0 0 30 250\n",
		"proc/net/dev":             "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n  eth0: 5000000 10 0 3 0 0 0 0 8000000 20 0 0 0 0 0 0\n",
		"proc/pressure/cpu":        "some avg10=0.00 avg60=0.00 avg300=0.00 total=2000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"sys/fs/cgroup/a/cpu.stat": "usage_usec 4000000\nthrottled_usec 1100000\n",
		"proc/1/net/snmp":          "Tcp: RtoAlgorithm RetransSegs\nTcp: 1 15\n",
	})
	now := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	s := &Sampler{now: func() time.Time { return now }}
	var samples []job.Sample
	for _, files := range []map[string]string{before, after} {
		dir := root(t, files)
		s.read = func() ([]figure, error) { return figuresBelow(dir) }
		var err error
		if samples, err = s.Sample(); err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * time.Second)
	}
	got := map[string]float64{}
	for _, one := range samples {
		got[one.Name+"/"+one.Called()] = one.Value
	}
	for name, want := range map[string]float64{
		"CPU/client, user": 50, "CPU/client, system": 20, "CPU/client, interrupts": 1.5, "CPU/client, steal": 3.5, "CPU/client, waiting for disks": 5,
		"context switches/client": 150, "CPU frequency/client": 3000, "threads waiting for a core/client": 2,
		"memory/client, used": 512, "memory/client, cache": 100, "memory/client, dirty": 1, "memory/client, being written": 0,
		"pages/client, read from disk": 10, "pages/client, swapped out": 2,
		"disk throughput/read, sda, client": 1.024, "disk throughput/written, sda, client": 2.048,
		"disk requests/sda, reads, client": 25, "disk requests/sda, writes, client": 200, "disk requests/sda, flushes, client": 10,
		"disk response time/sda, reads, client": 5, "disk response time/sda, writes, client": 4, "disk response time/sda, flushes, client": 10,
		"disk in use/sda, client": 50, "disk queue/sda, client": 1.5,
		"network throughput/received, eth0, client": 2, "network throughput/sent, eth0, client": 3,
		"network problems/client, drops": 1, "network problems/client, retransmitted segments": 5, "network problems/client, full accept queues": 0,
		"pressure/client, cpu, some wait": 50, "CPU limit of the container/client, throttled": 20, "CPU limit of the container/client, used": 100,
	} {
		if value, found := got[name]; !found || math.Abs(value-want) > 1e-9 {
			t.Errorf("%s: got %g (%t), want %g", name, value, found, want)
		}
	}
	for name := range got {
		for _, not := range []string{"sda1", "dm-0", "idle"} {
			if filepath.Base(name) == not {
				t.Errorf("got %s", name)
			}
		}
	}
	if t.Failed() {
		t.Logf("got %v", got)
	}
}

func TestFrequency_IsThatOfCoresSpreadOverAll(t *testing.T) {
	files := map[string]string{"proc/1/cgroup": ""}
	if _, known := frequency(root(t, files)); known {
		t.Error("it is known without a driver")
	}
	for core := range 20 { // every third is read: 0, 3, ..., 18
		files[fmt.Sprintf("sys/devices/system/cpu/cpu%02d/cpufreq/scaling_cur_freq", core)] = fmt.Sprint(1_000_000 + 100_000*core)
	}
	files["sys/devices/system/cpu/cpu03/cpufreq/scaling_cur_freq"] = "0" // offline
	// (1000 + 1600 + 1900 + 2200 + 2500 + 2800) / 6
	if got, known := frequency(root(t, files)); !known || got != 2000 {
		t.Errorf("got %g MHz, want 2000", got)
	}
}
