package report

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
)

// unsampled is the sentence for a run without the samples that tell what limited it, such as one of an
// earlier version. The details have it.
const unsampled = "what limited it cannot be told, because the server's sessions were not sampled"

// bottleneck says in one sentence what limited a run, with its evidence and what slowed it meanwhile, or that it
// cannot be told. It is "" for a job that another program recorded, and if the client contains the database and
// only that can have limited it.
func bottleneck(r job.Result) string {
	if r.Client == nil && r.Activity == nil {
		return ""
	}
	for _, rule := range bottlenecks {
		if text := rule.says(r); text != "" {
			return text + meanwhile(r)
		}
	}
	return ""
}

// Bottleneck says what limited a run, as in its result, "" if that is not known. Classes are those of the waits in which
// transactions spent at least a fifth of their time, the greatest first.
func Bottleneck(r job.Result) (sentence string, classes []string) {
	const noticeable = 0.2
	for _, part := range profileOf(r.Activity).parts {
		if part.share >= noticeable {
			classes = append(classes, part.class)
		}
	}
	return bottleneck(r), classes
}

// full is the share of the cores of a machine from which on all are in use: the kernel leaves some of each idle.
const full = 0.9

// bottlenecks are the rules, of which the first that says something decides.
//
// A part decides if transactions spend more than half of their time in it. Without it they would be more
// than twice as fast, and without any other part less than that (Amdahl's law).
var bottlenecks = []struct {
	name   string
	source string
	says   func(job.Result) string
}{
	{"client", "docs/decisions/116-was-it-the-client.md", func(r job.Result) string {
		if r.Client == nil || r.Client.Bound() == nil {
			return ""
		}
		return "limited by the client, which could not do more: the server was not the limit"
	}},
	{"demand", "Schroeder et al., Open Versus Closed, NSDI 2006: at a rate, the load decides the throughput until the server is full", func(r job.Result) string {
		kept, how := true, ""
		for _, g := range evidence(r) {
			switch {
			case g.Pace != nil:
				kept, how = kept && g.Pace.Share() >= job.EnoughPace && g.Pace.Behind == 0, "the run kept the requested rate"
			case g.Keyed != nil:
				kept, how = kept && g.Keyed.Reached >= job.EnoughPace, "users spent nearly all their time in their pauses"
			default:
				kept = false
			}
		}
		if !kept {
			return ""
		}
		return "limited by the load: " + how + activeSessions(r)
	}},
	{"main thread", "redis.io, \"Diagnosing latency issues\": one thread executes the commands of all clients", func(r job.Result) string {
		busy := 0.0
		for _, c := range r.ServerCounters.Of("cpu") {
			if c.Name == "used_cpu_user_main_thread" || c.Name == "used_cpu_sys_main_thread" {
				busy += c.PerSecond
			}
		}
		if busy < full {
			return ""
		}
		return fmt.Sprintf("limited by the server's main thread, which executes all commands: it used %.0f %% of a core", 100*busy)
	}},
	{"stolen cores", "proc_stat(5), steal: the host of a virtual machine ran others. The limits are those of host/resources.go", func(r job.Result) string {
		used, stolen := r.Resources.Use("CPU", "in use"), r.Resources.Use("CPU", "stolen by the host")
		if used == nil || stolen == nil || waitsElsewhere(r) || !stolen.Short() || used.Values.Mean+stolen.Values.Mean < 100*full {
			return ""
		}
		return fmt.Sprintf("limited by the host of the server's virtual machine: it took %.0f %% of the CPU%s; the machine used %.0f %%", stolen.Values.Mean, worstSecond(*stolen), used.Values.Mean)
	}},
	{"limit of the container", "throttled_usec of cpu.stat, Linux kernel documentation, Control Group v2", func(r job.Result) string {
		u := r.Resources.Use("CPU limit", "throttled")
		if u == nil || waitsElsewhere(r) || !u.Short() || clientsContainer(r) {
			return ""
		}
		return fmt.Sprintf("limited by the CPU limit of the server's container: it was throttled %.0f %% of the time%s", u.Values.Mean, worstSecond(*u))
	}},
	{"other programs", "the utilization law: a full CPU limits the throughput, and here others than the server have most of it", func(r job.Result) string {
		m := serverMachine(r)
		if m == nil || waitsElsewhere(r) || m.Busy < full*float64(m.Cores) || m.Others <= max(m.Server, m.Client) || others(r) == "" {
			return ""
		}
		return fmt.Sprintf("limited by other programs on the server's machine: of %s in use, %s, the server %.2f and the client %.2f", cores(float64(m.Cores)), others(r), m.Server, m.Client)
	}},
	{"memory", "Linux kernel documentation, PSI: the share of the time in which threads waited for memory", func(r job.Result) string {
		u := r.Resources.Use("memory", "some thread waits")
		if u == nil || waitsElsewhere(r) || !u.Short() {
			return ""
		}
		return fmt.Sprintf("limited by the memory of the server's machine: threads waited for memory %.0f %% of the time%s", u.Values.Mean, worstSecond(*u))
	}},
	{"few samples", "the standard error of a share p of n samples is sqrt(p (1 - p) / n): a tenth at n = 25", func(r job.Result) string {
		switch {
		case r.Client != nil && r.Client.WithDatabase:
			return ""
		case r.Activity == nil:
			return unsampled
		case r.Activity.Joined == nil:
			return "what limited it cannot be told, because the server's sessions cannot be joined with transactions"
		}
		if why := r.Activity.Joined.Undivided; why != "" {
			return "what limited it cannot be told, because " + Printable(why)
		}
		if n := profileOf(r.Activity).samples; n < job.FewSamples {
			return fmt.Sprintf("what limited it cannot be told from %s of transactions", samples(int(n)))
		}
		return ""
	}},
	{"greatest part", "Millsap, Optimizing Oracle Performance (2003): the response time profile; Gregg, Systems Performance (2020), 2.5.9: USE method", func(r job.Result) string {
		p := profileOf(r.Activity)
		if p.samples == 0 || p.greatest().share < 0.5 {
			return ""
		}
		return limitedBy(p, r)
	}},
	{"no part", "the rule above", func(r job.Result) string {
		p := profileOf(r.Activity)
		if p.samples == 0 {
			return ""
		}
		var list []string
		for _, part := range p.parts[:min(3, len(p.parts))] {
			list = append(list, fmt.Sprintf("%s %.0f %%", partWord(part.class), 100*part.share))
		}
		return "no single limit: transactions spend their time in " + strings.Join(list, ", ")
	}},
}

// waitsElsewhere reports whether transactions spend most of their time in a wait that is neither for a core nor for
// memory. Then a machine that is short of these is not what limits them.
func waitsElsewhere(r job.Result) bool {
	p := profileOf(r.Activity)
	if p.samples < job.FewSamples || p.greatest().share < 0.5 {
		return false
	}
	switch p.greatest().class {
	case "cpu", "network", "memory", job.PartClient:
		return false
	}
	return true
}

// clientsContainer reports whether the sampled CPU limit may concern the client alone: on its own machine Sledge samples
// the container of its own process. The server is not in it if the two used more than the limit. If the client used half of
// the limit or more, the limit says nothing about the server.
func clientsContainer(r job.Result) bool {
	if r.Resources.Server != job.ClientMachine || r.Client == nil {
		return false
	}
	limit := r.Client.CgroupCores
	m := serverMachine(r)
	return m == nil || limit == 0 || m.Client+m.Server > limit*(1+sampledError) || m.Client >= limit/2
}

// sampledError is the part by which a use of a second may exceed a limit, because its counters are read one after another.
const sampledError = 0.1

// activeSessions is the mean number of active sessions, for the end of a sentence.
func activeSessions(r job.Result) string {
	if r.Activity == nil || r.Activity.Joined != nil && r.Activity.Joined.Undivided != "" { // the samples do not show all
		return ""
	}
	return fmt.Sprintf(", with %.2f active sessions on average", r.Activity.Mean(""))
}

// timeProfile says where the time of all transactions went, by samples.
type timeProfile struct {
	samples int64
	parts   []profilePart // the greatest first
}

// profilePart is a part of the time of all transactions.
type profilePart struct {
	class string
	share float64
	kind  string  // the kind of transaction with the most of it
	of    float64 // the share of the time of that kind
}

func (p timeProfile) greatest() profilePart { return p.parts[0] }

// profileOf adds up the times of all kinds of transaction. Start lag is not in it, because no session
// is active then.
func profileOf(a *job.Activity) (p timeProfile) {
	if a == nil {
		return p
	}
	sums, most, shares := map[string]int64{}, map[string]float64{}, map[string]profilePart{}
	for _, kind := range a.Transactions {
		p.samples += kind.Samples
		whole := 0.0
		for _, part := range kind.Parts {
			if part.Name != job.PartStartLag {
				whole += part.Milliseconds
			}
		}
		for _, part := range kind.Parts {
			if part.Name == job.PartStartLag || whole == 0 {
				continue
			}
			of := part.Milliseconds / whole
			n := of * float64(kind.Samples)
			sums[part.Name] += int64(1000 * n)
			if one := shares[part.Name]; n > most[part.Name] || one.class == "" {
				most[part.Name], shares[part.Name] = n, profilePart{class: part.Name, kind: kind.Kind, of: of}
			}
		}
	}
	for _, class := range greatest(sums) {
		part := shares[class]
		part.share = float64(sums[class]) / 1000 / float64(max(1, p.samples))
		p.parts = append(p.parts, part)
	}
	return p
}

// partWord names a part in a sentence.
func partWord(class string) string {
	words := map[string]string{
		job.PartClient: "the client's CPU", "network": "being on the way", "cpu": "the server's CPU", "lock": "waiting for locks", "log": "writing the log",
		"commit": "waiting for group commit or replicas", "read": "reading data files", "write": "writing data files", "latch": "waiting for latches",
		"memory": "waiting for memory", "parallel": "waiting for parallel workers", "throttle": "pauses on purpose",
	}
	if word, known := words[class]; known {
		return word
	}
	return class
}

// limitedBy says that a run was limited by the greatest part of its profile.
func limitedBy(p timeProfile, r job.Result) string {
	first := p.greatest()
	evidence := fmt.Sprintf("%.0f %% of the time of transactions is %s", 100*first.share, partWord(first.class))
	if first.kind != "" && len(r.Kinds) > 1 {
		evidence += fmt.Sprintf(", most in %s (%.0f %%)", Printable(first.kind), 100*first.of)
	}
	wait := greatestOf(r.Activity, first.class, func(s job.ActivityShare) string { return s.Wait })
	if wait != "" && first.class != "cpu" { // a session that computes may have a state
		evidence += ", mostly " + Printable(wait)
	}
	if blocker := greatestOf(r.Activity, first.class, func(s job.ActivityShare) string { return s.Blocker }); blocker != "" && r.Blocked == nil {
		evidence += " of " + Printable(blocker)
	}
	limit := limits[first.class]
	if slices.Contains(flushWaits, strings.ToLower(wait)) {
		limit.name = "log flushes"
	}
	if limit.evidence != nil {
		evidence += limit.evidence(r)
	}
	evidence += room(r)
	switch {
	case first.class == "cpu":
		return cpuLimit(evidence, r)
	case first.class == "network" || first.class == job.PartClient:
		if n, busy := serverCPU(r); n > 0 && busy >= full*n {
			return "limited by CPU: all cores were in use, and threads waited for one; " + evidence
		}
		return "limited by round trips: " + evidence + ". More users, or fewer round trips, would do more"
	case limit.name != "":
		return "limited by " + limit.name + ": " + evidence
	}
	return "limited by " + partWord(first.class) + ": " + evidence
}

// limits name what limited a run, by the class of the greatest part of its time, and find more evidence.
var limits = map[string]struct {
	name     string
	evidence func(job.Result) string
}{
	"lock":   {"locks", heldBy},
	"log":    {"the log", flush},
	"commit": {"commits", flush},
	"read":   {"reads", func(r job.Result) string { return diskTime(r, "reads", "read") }},
	"write":  {"writes", func(r job.Result) string { return diskTime(r, "writes", "write") }},
	"latch":  {name: "latches"},
}

// cpuLimit tells a server without free cores from one that only executes what its users send.
func cpuLimit(evidence string, r job.Result) string {
	switch n, busy := serverCPU(r); {
	case n == 0:
		return "the server computes: " + evidence + ". Whether its cores were full is not known; an agent on its machine tells"
	case busy >= full*n:
		return "limited by CPU: " + evidence
	}
	return "not limited by the server: " + evidence + ". More users would do more"
}

// worstSecond names the worst second of a measure.
func worstSecond(u job.ResourceUse) string {
	return fmt.Sprintf(", at most %.0f %% in second %.0f", u.Values.Worst, u.Values.WorstAt)
}

// serverMachine returns the load of the server's machine if it is that of the client.
func serverMachine(r job.Result) *job.MachineLoad {
	if r.Client == nil || r.Client.Machine == nil || r.Client.Machine.Server == 0 || r.Client.Machine.Unknown != "" {
		return nil
	}
	return r.Client.Machine
}

// room says how many cores of the server's machine were idle, if that is known.
func room(r job.Result) string {
	n, busy := serverCPU(r)
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("; %.1f of %s idle", max(0, n-busy), cores(n))
	if named := others(r); named != "" {
		text += ", and " + named
	}
	return text
}

// greatestOf returns the value, such as the wait, of a class's shares of transactions in which most sessions were.
func greatestOf(a *job.Activity, class string, value func(job.ActivityShare) string) string {
	sums := map[string]int64{}
	for _, s := range a.Shares {
		if v := value(s); s.Class == class && s.Transaction != "" && v != "" {
			sums[v] += s.Sessions
		}
	}
	if len(sums) == 0 {
		return ""
	}
	return greatest(sums)[0]
}
