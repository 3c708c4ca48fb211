package host

import (
	"runtime"
	"testing"
	"testing/fstest"
	"time"
)

func TestLoad_MeasuresThisProcess(t *testing.T) {
	l := StartLoad(CoreUse{}, Users{})
	for deadline := time.Now().Add(time.Minute); CPUSeconds()-l.cpu < 0.1 && time.Now().Before(deadline); { // some systems count in hundredths of a second
	}
	runtime.GC()
	used := l.End()
	if used.CPUSeconds < 0.05 || used.CoresUsed < 0.05 || used.CoresUsed > float64(runtime.NumCPU())+0.5 {
		t.Errorf("got %+v, want some CPU time", used)
	}
	if used.Cores <= 0 || used.Cores > float64(runtime.GOMAXPROCS(0)) || used.MaxProcs != runtime.GOMAXPROCS(0) {
		t.Errorf("got a limit of %g cores and GOMAXPROCS %d, want no more than %d", used.Cores, used.MaxProcs, runtime.GOMAXPROCS(0))
	}
	if used.GCPauses < 1 || used.GCPauseSeconds <= 0 || used.GCLongestPauseSeconds <= 0 || used.GCLongestPauseSeconds > used.GCPauseSeconds {
		t.Errorf("got %+v after the garbage was collected", used)
	}
	if quiet := StartLoad(CoreUse{}, Users{}).End(); quiet.CPUSeconds > used.CPUSeconds || quiet.GCPauses > used.GCPauses {
		t.Errorf("got %+v for no time, and %+v for some time", quiet, used)
	}
}

func TestCgroupCores_AreTheMinimumOfAllGroups(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for _, c := range []struct {
		name string
		fs   fstest.MapFS
		want float64
	}{
		{"no Linux", fstest.MapFS{}, 0},
		{"no limit", fstest.MapFS{"proc/self/cgroup": file("0::/user.slice\n"), "sys/fs/cgroup/user.slice/cpu.max": file("max 100000\n")}, 0},
		{"a container that sees itself as the root", fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/cpu.max": file("150000 100000\n")}, 1.5},
		{"a limit of an enclosing group", fstest.MapFS{
			"proc/self/cgroup":               file("0::/a/b/c\n"),
			"sys/fs/cgroup/a/cpu.max":        file("50000 100000\n"),
			"sys/fs/cgroup/a/b/cpu.max":      file("300000 100000\n"),
			"sys/fs/cgroup/a/b/c/cpu.weight": file("100\n"),
		}, 0.5},
		{"version 1, whose path is the host's", fstest.MapFS{
			"proc/self/cgroup":                    file("12:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n"),
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":  file("200000\n"),
			"sys/fs/cgroup/cpu/cpu.cfs_period_us": file("100000\n"),
		}, 2},
		{"version 1 without a limit", fstest.MapFS{
			"proc/self/cgroup":                    file("4:cpu,cpuacct:/\n"),
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":  file("-1\n"),
			"sys/fs/cgroup/cpu/cpu.cfs_period_us": file("100000\n"),
		}, 0},
	} {
		if got := cgroupCores(c.fs); got != c.want {
			t.Errorf("%s: got %g cores, want %g", c.name, got, c.want)
		}
	}
}

func TestThrottledSeconds_AreTheMaximumOfAllGroups(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for want, fs := range map[float64]fstest.MapFS{
		0: {},
		1.5: {
			"proc/self/cgroup":         file("0::/a/b\n"),
			"sys/fs/cgroup/a/cpu.stat": file("usage_usec 9\nnr_throttled 3\nthrottled_usec 1500000\n"), "sys/fs/cgroup/a/b/cpu.stat": file("throttled_usec 1000\n"),
		},
		2: {"proc/self/cgroup": file("4:cpu,cpuacct:/docker/abc\n"), "sys/fs/cgroup/cpu/cpu.stat": file("nr_throttled 1\nthrottled_time 2000000000\n")},
	} {
		if got := throttledSeconds(fs); got != want {
			t.Errorf("got %g s, want %g", got, want)
		}
	}
}
