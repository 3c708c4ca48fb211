package report

import (
	"fmt"
	"strings"

	"sledge/internal/job"
)

// bottleneck says in one sentence what limited a run, with its evidence, or that it cannot be told. It is ""
// if nothing is known about the server's sessions.
func bottleneck(r job.Result) string {
	for _, rule := range bottlenecks {
		if text := rule.says(r); text != "" {
			return text
		}
	}
	return ""
}

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
		switch active := activeSessions(r); {
		case r.Pace != nil && r.Pace.Share() >= job.EnoughPace && r.Pace.Behind == 0:
			return "limited by the load: the run kept the requested rate" + active
		case r.Keyed != nil && r.Keyed.Reached >= job.EnoughPace:
			return "limited by the load: users spent nearly all their time in their pauses" + active
		}
		return ""
	}},
	{"few samples", "the standard error of a share p of n samples is sqrt(p (1 - p) / n): a tenth at n = 25", func(r job.Result) string {
		if r.Activity == nil || r.Activity.Joined == nil {
			return ""
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

// activeSessions is the mean number of active sessions, for the end of a sentence.
func activeSessions(r job.Result) string {
	if r.Activity == nil {
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
	if wait := greatestWait(r.Activity, first.class); wait != "" && first.class != "cpu" { // a session that computes may have a state
		evidence += ", mostly " + Printable(wait)
	}
	evidence += room(r)
	switch first.class {
	case "cpu":
		return cpuLimit(evidence, r)
	case "network", job.PartClient:
		return "limited by round trips: " + evidence + ". More users, or fewer round trips, would do more"
	case "lock":
		return "limited by locks: " + evidence
	case "log", "commit":
		return "limited by the log: " + evidence
	case "read":
		return "limited by reads: " + evidence
	case "write":
		return "limited by writes: " + evidence
	case "latch":
		return "limited by latches: " + evidence
	}
	return "limited by " + partWord(first.class) + ": " + evidence
}

// cpuLimit tells a server without free cores from one that only executes what its users send.
func cpuLimit(evidence string, r job.Result) string {
	const full = 0.9 // of the cores
	m := serverMachine(r)
	switch {
	case m == nil:
		return "the server computes: " + evidence + ". Whether its cores were full is not known; an agent on its machine tells"
	case m.Busy >= full*float64(m.Cores):
		return "limited by CPU: " + evidence
	}
	return "not limited by the server: " + evidence + ". More users would do more"
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
	m := serverMachine(r)
	if m == nil {
		return ""
	}
	return fmt.Sprintf("; %.1f of %s idle", max(0, float64(m.Cores)-m.Busy), cores(float64(m.Cores)))
}

// greatestWait returns the wait of a class in which most sessions were, by the server's name.
func greatestWait(a *job.Activity, class string) string {
	waits := map[string]int64{}
	for _, s := range a.Shares {
		if s.Class == class && s.Transaction != "" && s.Wait != "" {
			waits[s.Wait] += s.Sessions
		}
	}
	if len(waits) == 0 {
		return ""
	}
	return greatest(waits)[0]
}
