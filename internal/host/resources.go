package host

import (
	"maps"
	"slices"
	"time"

	"sledge/internal/job"
)

// useRule says which samples are a measure of a resource.
type useRule struct {
	job.ResourceUse                        // without a machine and values
	series          string                 // the name of the series; "" if no system reports it
	only            map[string][]string    // values of labels; a measure adds up all series that have them
	of              string                 // the label that names the resource, if a machine may have several
	per             func(job.Host) float64 // divides the values; 0 if the machine is unknown
	source          string                 // of the measure or of its limit
}

// uses are the measures of machines.
//
// A limit is stated where a source gives one. The utilization of a disk has none, because a disk that serves requests
// in parallel can do more when it is always in use.
var uses = []useRule{
	{
		ResourceUse: job.ResourceUse{Resource: "CPU", Aspect: job.Utilization, Measure: "in use", Unit: "%", Limit: 90},
		series:      "CPU", only: map[string][]string{"mode": {"user", "system", "interrupts"}},
		source: "Utilization law: the resource that is busy nearly all the time limits the throughput. Lazowska et al., Quantitative System Performance (1984), chapters 3 and 5",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "CPU", Aspect: job.Saturation, Measure: "threads that wait for each core", Limit: 1},
		series:      "threads waiting for a core", per: func(h job.Host) float64 { return float64(h.CPUs) },
		source: "Gregg, Systems Performance (2020), 6.5.2: a run queue longer than the number of CPUs; the eighth field of /proc/schedstat",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "CPU", Aspect: job.Saturation, Measure: "some thread waits", Unit: "% of the time"},
		series:      "pressure", only: map[string][]string{"resource": {"cpu"}, "threads": {"some wait"}},
		source: "Linux kernel documentation, PSI - Pressure Stall Information",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "CPU", Aspect: job.Saturation, Measure: "stolen by the host", Unit: "%", Limit: 5},
		series:      "CPU", only: map[string][]string{"mode": {"steal"}},
		source: "proc_stat(5): time in other operating systems. A twentieth is the part from which on other programs make a run doubtful, too",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "CPU", Aspect: job.Errors, Measure: "errors"},
		source:      "Gregg, Systems Performance (2020), appendix A: machine check exceptions, which /proc does not count",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "CPU limit", Aspect: job.Utilization, Measure: "used", Unit: "%", Limit: 90},
		series:      "CPU limit of the container", only: map[string][]string{"time": {"used"}},
		source: "The utilization law; usage_usec of cpu.stat by cpu.max, Linux kernel documentation, Control Group v2",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "CPU limit", Aspect: job.Saturation, Measure: "throttled", Unit: "% of the time", Limit: 10},
		series:      "CPU limit of the container", only: map[string][]string{"time": {"throttled"}},
		source: "throttled_usec of cpu.stat, Linux kernel documentation, Control Group v2",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "memory", Aspect: job.Utilization, Measure: "in use", Unit: "%"},
		series:      "memory", only: map[string][]string{"use": {"used"}}, per: func(h job.Host) float64 { return float64(h.MemoryBytes) / (100 << 20) },
		source: "proc_meminfo(5): MemTotal without MemAvailable",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "memory", Aspect: job.Saturation, Measure: "some thread waits", Unit: "% of the time", Limit: 20},
		series:      "pressure", only: map[string][]string{"resource": {"memory"}, "threads": {"some wait"}},
		source: "Linux kernel documentation, PSI. A fifth of the time is the limit of the client's waits for cores, too",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "memory", Aspect: job.Saturation, Measure: "swapped pages", Unit: "a second"},
		series:      "pages", only: map[string][]string{"pages": {"swapped in", "swapped out"}},
		source: "Gregg, Systems Performance (2020), 7.5: paging and swapping are saturation",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "memory", Aspect: job.Errors, Measure: "processes killed", Unit: "a second"},
		series:      "processes killed for memory",
		source:      "Gregg, Systems Performance (2020), 7.5: the OOM killer; oom_kill of /proc/vmstat",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "disk", Aspect: job.Utilization, Measure: "in use", Unit: "% of the time"},
		series:      "disk in use", of: "disk",
		source: "iostat(1), %util: for devices that serve requests in parallel it does not reflect their performance limits",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "disk", Aspect: job.Saturation, Measure: "requests in the queue"},
		series:      "disk queue", of: "disk",
		source: "iostat(1), aqu-sz",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "disk", Aspect: job.Saturation, Measure: "response time of reads", Unit: "ms"},
		series:      "disk response time", only: map[string][]string{"kind": {"reads"}}, of: "disk",
		source: "iostat(1), r_await",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "disk", Aspect: job.Saturation, Measure: "response time of writes", Unit: "ms"},
		series:      "disk response time", only: map[string][]string{"kind": {"writes"}}, of: "disk",
		source: "iostat(1), w_await",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "disk", Aspect: job.Saturation, Measure: "response time of flushes", Unit: "ms"},
		series:      "disk response time", only: map[string][]string{"kind": {"flushes"}}, of: "disk",
		source: "iostat(1), f_await",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "disks", Aspect: job.Saturation, Measure: "some thread waits", Unit: "% of the time"},
		series:      "pressure", only: map[string][]string{"resource": {"io"}, "threads": {"some wait"}},
		source: "Linux kernel documentation, PSI - Pressure Stall Information",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "disks", Aspect: job.Errors, Measure: "errors"},
		source:      "Gregg, Systems Performance (2020), 9.5: device errors, which /proc does not count",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "network", Aspect: job.Utilization, Measure: "received and sent", Unit: "MB a second"},
		series:      "network throughput", of: "interface",
		source: "Gregg, Systems Performance (2020), 10.5: throughput, to be compared with the speed of the link",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "network", Aspect: job.Saturation, Measure: "drops, retransmits and full queues", Unit: "a second"},
		series:      "network problems", only: map[string][]string{"problem": {"drops", "retransmitted segments", "full accept queues", "full backlogs"}},
		source: "Gregg, Systems Performance (2020), 10.5: saturation by drops, overruns and retransmits",
	},
	{
		ResourceUse: job.ResourceUse{Resource: "network", Aspect: job.Errors, Measure: "errors", Unit: "a second"},
		series:      "network problems", only: map[string][]string{"problem": {"errors"}},
		source: "proc_pid_net(5): dev, errors of received and sent packets",
	},
}

// fits reports whether a sample belongs to the measure.
func (r *useRule) fits(s job.Sample) bool {
	if s.Name != r.series {
		return false
	}
	for label, values := range r.only {
		if !slices.Contains(values, s.Labels[label]) {
			return false
		}
	}
	return true
}

// ownUse says which figure of a second is a measure of Sledge's own process.
type ownUse struct {
	job.ResourceUse
	figure func(second) (value float64, known bool)
}

// ownUses are the measures of Sledge's own process. Their limits and sources are those of rules.
var ownUses = []ownUse{
	{
		job.ResourceUse{Resource: "event loops", Aspect: job.Utilization, Measure: "busy", Unit: "% of the time", Limit: 90},
		func(s second) (float64, bool) { return 100 * s.busy, s.use.Loops > 0 },
	},
	{
		job.ResourceUse{Resource: "Sledge", Aspect: job.Utilization, Measure: "cores that it may use", Unit: "%", Limit: 90},
		func(s second) (float64, bool) { return 100 * s.cpu / s.cores, s.cores > 0 },
	},
	{
		job.ResourceUse{Resource: "Sledge", Aspect: job.Saturation, Measure: "its threads wait for a core", Unit: "% of the time", Limit: 20},
		func(s second) (float64, bool) { return s.waiting(), s.waited >= 0 },
	},
	{
		job.ResourceUse{Resource: "Sledge", Aspect: job.Saturation, Measure: "start lag", Unit: "ms", Limit: 10},
		func(s second) (float64, bool) { return s.lag, s.lag >= 0 },
	},
}

// useSum sums up a measure over seconds.
type useSum struct {
	job.UseValues
	sum float64
}

// add adds the value of the second that begins at a time.
func (u *useSum) add(value, at float64, of job.ResourceUse) {
	if u.Seconds == 0 || value > u.Worst {
		u.Worst, u.WorstAt = value, at
	}
	u.Seconds++
	u.sum += value
	u.Mean = u.sum / float64(u.Seconds)
	if of.Limit > 0 && value >= of.Limit || of.Aspect == job.Errors && value > 0 {
		u.Over++
	}
}

// Resources sums up how machines were used in the measured time of a run, by the samples of observers. It is not safe
// for concurrent use.
type Resources struct {
	From, Until time.Time                     // the measured time; samples outside do not count. A zero Until means that it goes on
	Find        func(machine string) job.Host // the facts of a machine

	sums     map[useKey]*useSum
	machines map[string]bool // that have samples
}

// useKey identifies a measure of a machine.
type useKey struct {
	machine, of string
	rule        int // in uses
}

// Add adds samples that were taken at the same time, shortly before the end of a second.
func (r *Resources) Add(at time.Time, samples []job.Sample) {
	if r.From.IsZero() || !at.After(r.From) || !r.Until.IsZero() && at.After(r.Until) {
		return
	}
	if r.sums == nil {
		r.sums, r.machines = map[useKey]*useSum{}, map[string]bool{}
	}
	values := map[useKey]float64{}
	for _, s := range samples {
		machine := s.Labels["machine"]
		if machine == "" {
			continue // not a machine's
		}
		r.machines[machine] = true
		for i := range uses {
			if uses[i].fits(s) {
				values[useKey{machine, s.Labels[uses[i].of], i}] += s.Value // no label has the name ""
			}
		}
	}
	second := float64(int(at.Sub(r.From).Seconds()))
	for key, value := range values {
		rule := &uses[key.rule]
		if rule.per != nil {
			per := rule.per(r.Find(key.machine))
			if per <= 0 {
				continue
			}
			value /= per
		}
		if r.sums[key] == nil {
			r.sums[key] = &useSum{}
		}
		r.sums[key].add(value, second, rule.ResourceUse)
	}
}

// List returns the measures of a machine. Those that its system does not report have no values; disks and interfaces
// that were not used are left out.
func (r *Resources) List(machine string) (list []job.ResourceUse) {
	for i := range uses {
		list = append(list, r.of(machine, i)...)
	}
	return list
}

// Machines returns the names of the machines that have samples.
func (r *Resources) Machines() []string { return slices.Sorted(maps.Keys(r.machines)) }

// of returns the measures of a machine by a rule.
func (r *Resources) of(machine string, i int) (list []job.ResourceUse) {
	rule := &uses[i]
	one := rule.ResourceUse
	one.Machine = machine
	var names []string
	for key := range r.sums {
		if key.machine == machine && key.rule == i && (key.of == "" || r.used(machine, key.of)) {
			names = append(names, key.of)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		found, values := one, r.sums[useKey{machine, name, i}].UseValues
		found.Of, found.Values = name, &values
		list = append(list, found)
	}
	if len(names) == 0 && rule.of == "" && rule.Resource != "CPU limit" { // only containers have one
		list = append(list, one)
	}
	return list
}

// used reports whether a disk or an interface did anything.
func (r *Resources) used(machine, name string) bool {
	for key, sum := range r.sums {
		if key.machine == machine && key.of == name && uses[key.rule].Aspect == job.Utilization && sum.Worst > 0 {
			return true
		}
	}
	return false
}
