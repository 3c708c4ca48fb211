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

	"sledge/internal/job"
)

// Load measures how this process uses its machine from an instant on. Its methods must be called
// from one goroutine at a time.
type Load struct {
	began     time.Time
	cpu       float64 // CPU seconds used until then
	gc        debug.GCStats
	pauses    []uint64 // by length; see gcPauses
	pulse     *pulse
	machine   *machineWatch
	throttled float64        // seconds of throttling until then
	limits    job.ClientLoad // limits of the process, which are known at the start
	seconds   *seconds       // nil if they are not judged
}

// StartLoad begins to measure the use of this process, whose users work with the given cores.
func StartLoad(use CoreUse, users Users) *Load {
	l := &Load{began: time.Now(), cpu: CPUSeconds()}
	debug.ReadGCStats(&l.gc)
	l.pauses = slices.Clone(gcPauses().Counts)
	l.limits.MaxProcs = runtime.GOMAXPROCS(0)
	l.limits.CgroupCores = cgroupCores(os.DirFS("/"))
	l.throttled = throttledSeconds(os.DirFS("/"))
	l.machine = watchMachine()
	l.began, l.cpu = time.Now(), CPUSeconds() // excludes the reading of the machine's figures
	l.pulse = startPulse()
	if use.All {
		l.limits.Untold = "whether the client limited the result, because the database runs in its process"
	} else {
		l.seconds = newSeconds(use, users)
	}
	return l
}

// Second judges the time since the last call, or since StartLoad, of about a second. It returns the
// limits that have held for a few seconds now, once each.
func (l *Load) Second(users Users) []job.ClientLimit {
	l.machine.second(time.Since(l.began), CPUSeconds()-l.cpu, machineCores())
	if l.seconds == nil {
		return nil
	}
	return l.seconds.add(users)
}

// Pauses returns the times since StartLoad in which this process did not run.
func (l *Load) Pauses() []Pause { return l.pulse.list() }

// End returns the use since StartLoad.
func (l *Load) End() job.ClientLoad {
	used := l.limits
	for _, p := range l.pulse.stop() {
		used.Pauses = append(used.Pauses, job.ClientPause{From: p.From.Sub(l.began).Seconds(), Seconds: p.Length.Seconds(), CPUSeconds: p.CPU.Seconds()})
	}
	used.ThrottledSeconds = throttledSeconds(os.DirFS("/")) - l.throttled
	used.CPUSeconds = CPUSeconds() - l.cpu
	if elapsed := time.Since(l.began).Seconds(); elapsed > 0 {
		used.CoresUsed = used.CPUSeconds / elapsed
		used.Machine = l.machine.end(used.CPUSeconds, elapsed, machineCores())
	}
	used.MaxProcs = max(used.MaxProcs, runtime.GOMAXPROCS(0)) // another job may have joined
	used.Cores = usableCores(used.MaxProcs, used.CgroupCores)
	if l.seconds != nil {
		used.Judged, used.Limits, used.Untold = l.seconds.end()
		used.Uses = l.seconds.used()
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

// usableCores returns the number of cores that this process may use. cgroup is the limit of its
// control groups, or 0.
func usableCores(maxProcs int, cgroup float64) float64 {
	cores := min(float64(maxProcs), float64(runtime.NumCPU()))
	if cgroup > 0 {
		cores = min(cores, cgroup)
	}
	return cores
}

// gcPauses counts the stop-the-world pauses of the garbage collector by length, in steps of a
// quarter.
func gcPauses() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

// cgroupCores returns the number of cores to which control groups limit this process, or 0
// without a limit. The limits of enclosing groups apply too.
func cgroupCores(root fs.FS) float64 {
	least := math.Inf(1)
	for _, g := range cgroups(root) {
		limit := 0.0
		if g.v1 {
			quota, _ := fs.ReadFile(root, path.Join(g.folder, "cpu.cfs_quota_us"))
			period, _ := fs.ReadFile(root, path.Join(g.folder, "cpu.cfs_period_us"))
			limit = quotient(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
		} else {
			text, _ := fs.ReadFile(root, path.Join(g.folder, "cpu.max")) // "150000 100000", or "max 100000"
			quota, period, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
			limit = quotient(quota, period)
		}
		if limit > 0 {
			least = min(least, limit)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// throttledSeconds returns the time in which Linux kept this process from running because a control
// group had used up its quota, summed over the cores.
func throttledSeconds(root fs.FS) float64 {
	most := 0.0
	for _, g := range cgroups(root) {
		text, _ := fs.ReadFile(root, path.Join(g.folder, "cpu.stat"))
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, _ := strconv.ParseFloat(value, 64)
			switch name {
			case "throttled_usec": // of version 2
				most = max(most, n/1e6)
			case "throttled_time": // of version 1, in nanoseconds
				most = max(most, n/1e9)
			}
		}
	}
	return most
}

// cgroup is a control group of this process with a CPU controller.
type cgroup struct {
	folder string
	v1     bool
}

// cgroups lists the control group of this process and its parents.
func cgroups(root fs.FS) (list []cgroup) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // "0::/user.slice", "4:cpu,cpuacct:/docker/abc"
		if len(fields) != 3 {
			continue
		}
		base, v1 := "sys/fs/cgroup", false
		switch {
		case fields[1] == "":
		case slices.Contains(strings.Split(fields[1], ","), "cpu"):
			base, v1 = "sys/fs/cgroup/cpu", true
		default:
			continue
		}
		for group := path.Join("/", fields[2]); ; group = path.Dir(group) {
			list = append(list, cgroup{path.Join(base, group), v1})
			if group == "/" {
				break
			}
		}
	}
	return list
}

// quotient divides two numbers, and returns 0 if either is missing or means no limit.
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
