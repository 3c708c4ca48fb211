package host

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"sledge/internal/job"
)

// Load is what this process has used of its machine since some moment.
type Load struct {
	began  time.Time
	cpu    float64 // seconds of it that were used until then
	gc     debug.GCStats
	pauses []uint64       // by how long they were; see gcPauses
	jobs   int            // the most at the same time; guarded by busy
	limits job.ClientLoad // what is known at the beginning
}

// StartLoad begins to watch what this process uses.
func StartLoad() *Load {
	l := &Load{began: time.Now(), cpu: cpuSeconds()}
	debug.ReadGCStats(&l.gc)
	l.pauses = slices.Clone(gcPauses().Counts)
	l.limits.MaxProcs = runtime.GOMAXPROCS(0)
	l.limits.CgroupCores = cgroupCores(os.DirFS("/"))
	l.watch()
	return l
}

// End returns what was used since StartLoad.
func (l *Load) End() job.ClientLoad {
	used := l.limits
	used.CPUSeconds = cpuSeconds() - l.cpu
	if elapsed := time.Since(l.began).Seconds(); elapsed > 0 {
		used.CoresUsed = used.CPUSeconds / elapsed
	}
	used.OtherJobs = l.unwatch()
	used.MaxProcs = max(used.MaxProcs, runtime.GOMAXPROCS(0)) // another job may have joined
	used.Cores = min(float64(used.MaxProcs), float64(runtime.NumCPU()))
	if limit := used.CgroupCores; limit > 0 {
		used.Cores = min(used.Cores, limit)
	}
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	total := gc.PauseTotal - l.gc.PauseTotal
	used.GCPauseSeconds = total.Seconds()
	now := gcPauses()
	for i, n := range now.Counts {
		if n -= l.pauses[i]; n > 0 {
			used.GCPauses += int64(n)
			used.GCLongestPauseSeconds = min(now.Buckets[i+1], total.Seconds())
		}
	}
	return used
}

// cpuSeconds is the time, user and system, that this process has had of all cores. It
// is 0 where the system does not tell.
func cpuSeconds() float64 {
	p, err := process.NewProcess(int32(os.Getpid()))
	if err != nil {
		return 0
	}
	times, err := p.Times()
	if err != nil {
		return 0
	}
	return times.User + times.System
}

// gcPauses counts the times in which the garbage collector held up the whole process, by
// how long they were: to a quarter.
func gcPauses() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

// cgroupCores returns how many cores Linux allows this process by its control groups,
// and 0 where it sets no limit. A group cannot have more than those it is in.
func cgroupCores(root fs.FS) float64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := math.Inf(1)
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // "0::/user.slice", "4:cpu,cpuacct:/docker/abc"
		if len(fields) != 3 {
			continue
		}
		controllers, group := fields[1], path.Join("/", fields[2])
		limit := func(folder string) float64 { return versionTwo(root, folder) }
		base := "sys/fs/cgroup"
		switch {
		case controllers == "":
		case slices.Contains(strings.Split(controllers, ","), "cpu"):
			limit = func(folder string) float64 { return versionOne(root, folder) }
			base = "sys/fs/cgroup/cpu"
		default:
			continue
		}
		for ; ; group = path.Dir(group) {
			if n := limit(path.Join(base, group)); n > 0 {
				least = min(least, n)
			}
			if group == "/" {
				break
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// versionTwo reads "150000 100000", or "max 100000", from a control group's cpu.max.
func versionTwo(root fs.FS, folder string) float64 {
	text, err := fs.ReadFile(root, path.Join(folder, "cpu.max"))
	if err != nil {
		return 0
	}
	quota, period, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return quotient(quota, period)
}

func versionOne(root fs.FS, folder string) float64 {
	quota, err := fs.ReadFile(root, path.Join(folder, "cpu.cfs_quota_us"))
	if err != nil {
		return 0
	}
	period, err := fs.ReadFile(root, path.Join(folder, "cpu.cfs_period_us"))
	if err != nil {
		return 0
	}
	return quotient(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

// quotient divides two numbers, and returns 0 where either is none or says that there is
// no limit.
func quotient(quota, period string) float64 {
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil || q <= 0 {
		return 0
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil || p <= 0 {
		return 0
	}
	return q / p
}
