package host

import (
	"sledge/internal/job"
)

// rule says which figure of a second is a sign that this process slowed the run.
type rule struct {
	job.ClientLimit        // without the values
	source          string // of the rule or of its limit
	figure          func(second) (value float64, known bool)
}

// busyEnough is the share of a core that each event loop must compute before it counts as a limit.
// A loop that got less was busy because it waited for a core.
const busyEnough = 0.8

// rules are the signs that this process slowed a run, the strongest first.
//
// The limits of utilization are below 100 %, because no process uses all of a core: the kernel
// schedules others, and figures of a second are rounded.
var rules = []rule{
	{
		job.ClientLimit{Rule: "event loops", Bound: true, Figure: "its event loops were busy", Limit: 90, Unit: "% of the time"},
		"Utilization law: the resource that is busy nearly all the time limits the throughput. Lazowska et al., Quantitative System Performance (1984), chapters 3 and 5",
		func(s second) (float64, bool) {
			return 100 * s.busy, s.use.Loops > 0 && s.cpu >= busyEnough*float64(s.use.Loops)
		},
	},
	{
		job.ClientLimit{Rule: "cores", Bound: true, Figure: "it used", Limit: 90, Unit: "% of the cores that it may use"},
		"The same law. The cores are the least of GOMAXPROCS, sched_getaffinity(2) and the cpu.max of control groups",
		func(s second) (float64, bool) { return 100 * s.cpu / s.cores, s.cores > 0 },
	},
	{
		job.ClientLimit{Rule: "throttling", Bound: true, Figure: "its control group kept it from running", Limit: 10, Unit: "% of the time"},
		"throttled_usec of cpu.stat, Linux kernel documentation, Control Group v2. A group whose quota was used up mostly by other processes does not count",
		func(s second) (float64, bool) { return min(100, 100*s.throttled), s.group > 0 && s.cpu >= s.group/2 },
	},
	{
		job.ClientLimit{Rule: "garbage collection", Figure: "garbage collection used", Limit: 25, Unit: "% of its CPU time, and it was near its limit"},
		"A Guide to the Go Garbage Collector, GC CPU limits: the collector takes a quarter of the cores before it makes goroutines assist",
		func(s second) (float64, bool) {
			return 100 * s.collecting / max(s.cpu, 0.001), s.cpu >= busyEnough*float64(s.use.Threads())
		},
	},
	{
		job.ClientLimit{Rule: "collector pauses", Figure: "garbage collection stopped it", Limit: 5, Unit: "% of the time"},
		"debug.GCStats.PauseTotal: all users wait in a pause. A twentieth is the part of the time from which pauses of this process make a run doubtful, too",
		func(s second) (float64, bool) { return 100 * s.paused, true },
	},
	{
		job.ClientLimit{Rule: "start lag", Figure: "transactions began late by", Limit: 10, Unit: "ms on average after a pause"},
		"HdrHistogram, coordinated omission: the time until a request is sent belongs to its response time. Timers of Linux are late by 50 µs (timer_slack_ns), so 10 ms are not the timer's",
		func(s second) (float64, bool) { return s.lag, s.lag >= 0 },
	},
	{
		job.ClientLimit{Rule: "scheduling delay", Figure: "1 % of the goroutines waited for a thread", Limit: 10, Unit: "ms or longer"},
		"/sched/latencies:seconds of runtime/metrics. 10 ms is the time after which Go takes a thread from a goroutine",
		func(s second) (float64, bool) { return s.delay, s.use.Loops == 0 && s.delay >= 0 },
	},
	{
		job.ClientLimit{Rule: "waits for cores", Figure: "its threads waited for a core", Limit: 20, Unit: "% of the time"},
		"USE method, saturation of CPUs: Gregg, Systems Performance (2020), 6.5.2; the second field of /proc/PID/task/TID/schedstat",
		func(s second) (float64, bool) { return s.waiting(), s.waited >= 0 },
	},
}

const (
	shortestStretch = 3 // seconds in which a rule must hold; shorter stretches are accidents
	longestRest     = 2 // seconds in a stretch in which it does not hold
	announcedAfter  = 5 // seconds of a stretch after which it is announced
)

// watchedRule counts the seconds in which a rule held.
type watchedRule struct {
	rule
	all, current stretch
	rest         int // seconds since it held
	announced    bool
}

// stretch is a time in which a rule held.
type stretch struct {
	from, until float64
	seconds     int
	sum         float64 // of the values
}

// add judges a second, which begins and ends at the given times. It reports whether the caller
// must announce the rule.
func (w *watchedRule) add(s second, from, until float64) bool {
	value, known := w.figure(s)
	if !known || value < w.Limit {
		if w.rest++; w.rest > longestRest {
			w.end()
		}
		return false
	}
	w.rest = 0
	if w.current.seconds == 0 {
		w.current.from = from
	}
	w.current = stretch{w.current.from, until, w.current.seconds + 1, w.current.sum + value}
	if w.announced || !w.Bound || w.current.seconds < announcedAfter {
		return false
	}
	w.announced = true
	return true
}

// end ends the current stretch.
func (w *watchedRule) end() {
	if c := w.current; c.seconds >= shortestStretch {
		if w.all.seconds == 0 {
			w.all.from = c.from
		}
		w.all = stretch{w.all.from, c.until, w.all.seconds + c.seconds, w.all.sum + c.sum}
	}
	w.current = stretch{}
}

// limit returns the limit with the values of a stretch.
func (w *watchedRule) limit(s stretch) job.ClientLimit {
	l := w.ClientLimit
	l.From, l.Until, l.Seconds, l.Value = s.from, s.until, s.seconds, s.sum/float64(s.seconds)
	return l
}
